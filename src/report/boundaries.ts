// The six boundaries at which evidence can be had, and what a run holds at each; only what was measured is claimed, and what was
// looked for and not seen is told as that.
import { OUTCOME_TABLE } from '../outcomes.ts';
import type { BoundarySources } from './boundary-sources.ts';
import type { BoundaryEvidence, PartReport, ReportModel } from './model.ts';
import { bytes, grouped, plural } from './numbers.ts';

type EvidenceOf = (part: PartReport, sources: BoundarySources) => string | undefined;

const ledger: EvidenceOf = ({ examined }) => {
  if (examined === undefined) return undefined;
  const { sent, ok, unknown, fail } = examined;
  return `ledger of ${plural(sent, 'record')}: ${grouped(ok)} ok, ${grouped(unknown)} unknown, ${grouped(fail)} failed`;
};

const nameOfCode = (code: number): string => OUTCOME_TABLE.find((row) => row.code === code)?.name ?? `code ${code}`;

const answers: EvidenceOf = (_, { answers: given }) => {
  if (given === undefined) return undefined;
  const refused = [...given.codes].sort(([one], [other]) => one - other);
  const codes = refused.map(([code, count]) => `${nameOfCode(code)} × ${grouped(count)}`).join(', ');
  const named = `${plural(given.withOffset, 'request')} acknowledged with an offset`;
  return `produce answers: ${named}; ${codes === '' ? 'no error code' : codes}`;
};

/** What brokers told of their recovery, and what the store held; both say what outlives a process. */
const wal: EvidenceOf = (_, { recovered, inventory }) => {
  const told: string[] = [];
  if (recovered !== undefined) {
    told.push(
      recovered.times === 0
        ? 'broker logs: a recovery from it was not observed'
        : `broker logs: ${plural(recovered.records, 'record')} recovered from it in ${plural(recovered.times, 'takeover')}`,
    );
  }
  if (inventory !== undefined && inventory.walObjects > 0) {
    told.push(
      `listing: ${plural(inventory.walObjects, 'object')} of it, ${bytes(inventory.walBytes)}, after the replay`,
    );
  }
  return told.length === 0 ? undefined : told.join('; ');
};

const objects: EvidenceOf = ({ passes }, { inventory }) => {
  const cold = passes.find(({ coldOffsets }) => coldOffsets !== undefined)?.coldOffsets;
  const told: string[] = [];
  if (cold !== undefined)
    told.push(`the store’s own log: ${plural(cold, 'offset')} of the cold pass read from objects`);
  if (inventory !== undefined) {
    told.push(
      `listing: ${plural(inventory.dataObjects, 'data object')}, ${bytes(inventory.dataBytes)}, after the replay`,
    );
  }
  return told.length === 0 ? undefined : told.join('; ');
};

const ownership: EvidenceOf = ({ leaders }) => {
  if (leaders.length === 0) return undefined;
  const partitions = new Set(leaders.map(({ topic, partition }) => JSON.stringify([topic, partition])));
  const changes = plural(leaders.length - partitions.size, 'change');
  return `leaders and epochs as every broker tells them: ${changes} seen`;
};

const replay: EvidenceOf = ({ examined, passes }) => {
  if (examined === undefined || passes.length === 0) return undefined;
  const names = passes.map(({ pass, client }) => `${pass} (${client})`).join(', ');
  return `${plural(examined.read, 'record')} read, by checksum and identity: ${names}`;
};

const BOUNDARIES: readonly (readonly [string, string, EvidenceOf])[] = [
  ['Producer client', 'Which record did the client take as acknowledged?', ledger],
  ['Broker write path', 'Who accepted it, under which epoch?', answers],
  ['WAL storage', 'Which write survives the process or node?', wal],
  ['Object storage', 'From when can a replacement read it?', objects],
  ['Metadata and ownership', 'Who may serve the partition now?', ownership],
  ['Client replay', 'Does a fresh consumer read it all?', replay],
];

/** All six, in the order a record passes them. `sources`: of the last part; without them only the model speaks. */
export const boundariesOf = (
  { parts }: Pick<ReportModel, 'parts'>,
  sources: BoundarySources = {},
): readonly BoundaryEvidence[] => {
  const part = parts.at(-1);
  return BOUNDARIES.map(([boundary, question, evidenceOf]) => {
    const evidence = part === undefined ? undefined : evidenceOf(part, sources);
    return { boundary, question, ...(evidence === undefined ? {} : { evidence }) };
  });
};
