// Features that are on in a new cluster of a version of Kafka and that decide what becomes of records: who may be elected.

/** Since which version, as major and minor, a feature is at which level without being asked for. */
const FEATURES = [{ since: [4, 1], name: 'eligible.leader.replicas.version', level: 1 }] as const;

/** The levels by their names, for a version like `4.1.2`; what needs no order of its own is not among them. */
export const defaultFeatures = (version: string): Readonly<Record<string, number>> => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSince = ([fromMajor, fromMinor]: readonly [number, number]): boolean =>
    major > fromMajor || (major === fromMajor && minor >= fromMinor);
  return Object.fromEntries(FEATURES.filter(({ since }) => isSince(since)).map(({ name, level }) => [name, level]));
};
