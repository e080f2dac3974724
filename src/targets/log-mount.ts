// Where a broker that is a container keeps its log: the directory that Kafka's own settings name, and what is mounted there. Pure.
import type { ContainerFacts, ContainerMount } from './container-facts.ts';

export interface LogMount {
  readonly log: string;
  /** The innermost one that holds it; absent where it is in the container itself. */
  readonly mount: ContainerMount | undefined;
}

/** Undefined where the settings do not name just one directory. */
export const logMountOf = ({ environment, mounts }: ContainerFacts): LogMount | undefined => {
  const log = environment['KAFKA_LOG_DIRS'] ?? environment['KAFKA_LOG_DIR'];
  if (log === undefined || log.includes(',')) return undefined;
  const holds = ({ directory }: ContainerMount): boolean => `${log}/`.startsWith(`${directory}/`);
  const [mount] = mounts.filter(holds).sort((one, other) => other.directory.length - one.directory.length);
  return { log, mount };
};
