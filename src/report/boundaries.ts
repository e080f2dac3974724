// The six boundaries at which evidence can be had, and what a run holds at each, source by source; only what was measured is claimed,
// what was looked for and not seen is told as that, and so is what nobody could look for.
import { LOOKED_AT } from '../ledger/storage-gates.ts';
import { OUTCOME_TABLE } from '../outcomes.ts';
import type { BoundarySources } from './boundary-sources.ts';
import {
  type BoundaryEvidence,
  EVIDENCE_STATES,
  type EvidenceSource,
  type PartReport,
  type ReportModel,
} from './model.ts';
import { bytes, grouped, plural } from './numbers.ts';

type SourcesOf = (part: PartReport, sources: BoundarySources) => readonly EvidenceSource[];

const observed = (source: string, detail: string): EvidenceSource => ({ source, state: 'observed', detail });
const notObserved = (source: string, detail: string): EvidenceSource => ({ source, state: 'not observed', detail });
const notCollected = (source: string, detail: string): EvidenceSource => ({ source, state: 'not collected', detail });

const ledger: SourcesOf = ({ examined }) => {
  if (examined === undefined) return [notCollected('ledger', 'the part was not judged')];
  const { sent, ok, unknown, fail } = examined;
  const counted = `${plural(sent, 'record')}: ${grouped(ok)} ok, ${grouped(unknown)} unknown, ${grouped(fail)} failed`;
  return [sent === 0 ? notCollected('ledger', 'nothing was sent') : observed('ledger', counted)];
};

const nameOfCode = (code: number): string => OUTCOME_TABLE.find((row) => row.code === code)?.name ?? `code ${code}`;

const answers: SourcesOf = (_, { answers: given, watches }) => {
  const more = watches?.write ?? [];
  if (given === undefined) return [notCollected('produce answers', 'no ledger of attempts can be read'), ...more];
  const refused = [...given.codes].sort(([one], [other]) => one - other);
  const codes = refused.map(([code, count]) => `${nameOfCode(code)} × ${grouped(count)}`).join(', ');
  const named = `${plural(given.withOffset, 'request')} acknowledged with an offset`;
  return [observed('produce answers', `${named}; ${codes === '' ? 'no error code' : codes}`), ...more];
};

/** What brokers told of their recovery, and what the store held; both say what outlives a process. */
const wal: SourcesOf = (_, { recovered, inventory, watches }) => {
  const told: EvidenceSource[] = [...(watches?.wal ?? [])];
  if (recovered !== undefined) {
    const { records, times } = recovered;
    told.push(
      times === 0
        ? notObserved('broker logs', 'a recovery from it was not observed')
        : observed('broker logs', `${plural(records, 'record')} recovered from it in ${plural(times, 'takeover')}`),
    );
  }
  if (inventory !== undefined && inventory.walObjects > 0) {
    const objects = plural(inventory.walObjects, 'object');
    told.push(observed('listing', `${objects} of it, ${bytes(inventory.walBytes)}, after the replay`));
  }
  return told;
};

const LOOKS: readonly string[] = Object.values(LOOKED_AT);

/** What the storage gate saw of the store; empty where the run has none. */
const looksAt = ({ gates = [] }: PartReport): readonly EvidenceSource[] =>
  gates
    .filter(({ gate }) => gate === 'storage')
    .flatMap(({ cells }) => cells)
    .filter(({ item }) => LOOKS.includes(item))
    .map(({ item, state, detail }) => ({ source: item, state, detail }));

const objects: SourcesOf = (part, { inventory, watches }) => {
  const { passes } = part;
  const cold = passes.find(({ coldOffsets }) => coldOffsets !== undefined)?.coldOffsets;
  const told: EvidenceSource[] = [...(watches?.objects ?? [])];
  if (cold !== undefined) {
    told.push(observed('the store’s own log', `${plural(cold, 'offset')} of the cold pass read from objects`));
  }
  const looks = looksAt(part);
  told.push(...looks);
  if (looks.length === 0 && inventory !== undefined) {
    const data = plural(inventory.dataObjects, 'data object');
    told.push(observed('listing', `${data}, ${bytes(inventory.dataBytes)}, after the replay`));
  }
  return told;
};

const GATE = {
  pass: (because: string) => notObserved('two owners, by the log', because),
  fail: (because: string) => observed('two owners, by the log', because),
  inconclusive: (because: string) => notCollected('two owners, by the log', because),
} as const;

const owners: SourcesOf = ({ leaders, ownership: gate }, { watches }) => {
  const partitions = new Set(leaders.map(({ topic, partition }) => JSON.stringify([topic, partition])));
  const changes = plural(leaders.length - partitions.size, 'change');
  const source = 'leaders and epochs';
  return [
    leaders.length === 0
      ? notCollected(source, 'no broker told any')
      : observed(source, `as every broker tells them: ${changes} seen`),
    ...(gate === undefined ? [] : [GATE[gate.state](gate.because)]),
    ...(watches?.ownership ?? []),
  ];
};

const replay: SourcesOf = ({ examined, passes }, { watches }) => {
  const more = watches?.replay ?? [];
  if (examined === undefined || passes.length === 0) return [notCollected('replay', 'no pass was read'), ...more];
  const names = passes.map(({ pass, client }) => `${pass} (${client})`).join(', ');
  return [observed('replay', `${plural(examined.read, 'record')} read, by checksum and identity: ${names}`), ...more];
};

const BOUNDARIES: readonly (readonly [string, string, SourcesOf])[] = [
  ['Producer client', 'Which record did the client take as acknowledged?', ledger],
  ['Broker write path', 'Who accepted it, under which epoch?', answers],
  ['WAL storage', 'Which write survives the process or node?', wal],
  ['Object storage', 'From when can a replacement read it?', objects],
  ['Metadata and ownership', 'Who may serve the partition now?', owners],
  ['Client replay', 'Does a fresh consumer read it all?', replay],
];

/** The state of the source that says most; where there is no source at all, nothing was collected. */
const stateOf = (sources: readonly EvidenceSource[]): BoundaryEvidence['state'] =>
  EVIDENCE_STATES.find((state) => sources.some((source) => source.state === state)) ?? 'not collected';

/** All six, in the order a record passes them. `sources`: of the last part; without them only the model speaks. */
export const boundariesOf = (
  { parts }: Pick<ReportModel, 'parts'>,
  sources: BoundarySources = {},
): readonly BoundaryEvidence[] => {
  const part = parts.at(-1);
  return BOUNDARIES.map(([boundary, question, sourcesOf]) => {
    const found = part === undefined ? [] : sourcesOf(part, sources);
    return { boundary, question, state: stateOf(found), sources: found };
  });
};

interface Gate {
  readonly gate: string;
  readonly state: 'pass' | 'fail' | 'inconclusive';
  readonly because: string;
}

/** A gate that did not pass is left open: it stands beside the verdict, and says what the verdict does not. */
export const ungatedOf = ({ parts }: Pick<ReportModel, 'parts'>): readonly string[] => {
  const { ownership, gates = [] } = parts.at(-1) ?? {};
  const all: readonly Gate[] = [...(ownership === undefined ? [] : [{ gate: 'ownership', ...ownership }]), ...gates];
  return all
    .filter(({ state }) => state !== 'pass')
    .map(
      ({ gate, state, because }) => `The ${gate} gate ${state === 'fail' ? 'failed' : 'is inconclusive'}: ${because}.`,
    );
};

/** Of each boundary without evidence, that there is none: a gap that is declared is no proof. */
export const unprovenOf = (boundaries: readonly BoundaryEvidence[]): readonly string[] =>
  boundaries
    .filter(({ state }) => state === 'not collected' || state === 'not provided')
    .map(({ boundary, state }) => {
      const why = state === 'not provided' ? 'this target has no source of it' : 'none was collected';
      return `Nothing is shown at the boundary "${boundary}": ${why}.`;
    });
