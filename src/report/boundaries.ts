// The six boundaries at which evidence can be had, and what a run holds at each; only what was measured is claimed.
import type { BoundaryEvidence, PartReport, ReportModel } from './model.ts';
import { grouped, plural } from './numbers.ts';

const ledger = ({ examined }: PartReport): string | undefined => {
  if (examined === undefined) return undefined;
  const { sent, ok, unknown, fail } = examined;
  return `ledger of ${plural(sent, 'record')}: ${grouped(ok)} ok, ${grouped(unknown)} unknown, ${grouped(fail)} failed`;
};

const objects = ({ passes }: PartReport): string | undefined => {
  const cold = passes.find(({ coldOffsets }) => coldOffsets !== undefined);
  if (cold?.coldOffsets === undefined) return undefined;
  return `the store’s own log: ${plural(cold.coldOffsets, 'offset')} of the cold pass read from objects`;
};

const ownership = ({ leaders }: PartReport): string | undefined => {
  if (leaders.length === 0) return undefined;
  const partitions = new Set(leaders.map(({ topic, partition }) => JSON.stringify([topic, partition])));
  const changes = plural(leaders.length - partitions.size, 'change');
  return `leaders and epochs as every broker tells them: ${changes} seen`;
};

const replay = ({ examined, passes }: PartReport): string | undefined => {
  if (examined === undefined || passes.length === 0) return undefined;
  const names = passes.map(({ pass, client }) => `${pass} (${client})`).join(', ');
  return `${plural(examined.read, 'record')} read, by checksum and identity: ${names}`;
};

const BOUNDARIES: readonly (readonly [string, string, (part: PartReport) => string | undefined])[] = [
  ['Producer client', 'Which record did the client take as acknowledged?', ledger],
  ['Broker write path', 'Who accepted it, under which epoch?', () => undefined],
  ['WAL storage', 'Which write survives the process or node?', () => undefined],
  ['Object storage', 'From when can a replacement read it?', objects],
  ['Metadata and ownership', 'Who may serve the partition now?', ownership],
  ['Client replay', 'Does a fresh consumer read it all?', replay],
];

/** All six, in the order a record passes them. */
export const boundariesOf = ({ parts }: Pick<ReportModel, 'parts'>): readonly BoundaryEvidence[] => {
  const part = parts.at(-1);
  return BOUNDARIES.map(([boundary, question, evidenceOf]) => {
    const evidence = part === undefined ? undefined : evidenceOf(part);
    return { boundary, question, ...(evidence === undefined ? {} : { evidence }) };
  });
};
