// The cold pass: every cache dropped first, everything read again, and the object store's own request log asked which offsets
// really came from objects. What the log does not show proves nothing about what is stored.
import { describeError } from '../errors.ts';
import { accountColdReads, countStoreReads, type StoreReads } from '../evidence/cold-reads.ts';
import { readSourcesBetween } from '../evidence/read-sources.ts';
import type { PassSummary } from '../ledger/run-record.ts';
import type { LocalPart, ObjectStoreAccess, StoreRequest } from '../targets/target.ts';
import type { PassOutcome } from './replay.ts';
import type { RunContext } from './run-context.ts';

/** The store's log is written a moment after the answer; its clock is ours. */
const LOG_SETTLES_MS = 150;

type ColdFacts = Pick<PassSummary, 'sources' | 'coldOffsets' | 'uncoveredOffsets'>;

export interface ColdPassResult {
  readonly outcome: PassOutcome;
  readonly facts: ColdFacts;
  /** What was counted on the brokers' path to the store. */
  readonly store: StoreReads;
  /** Offsets of the pass that are on the brokers' own disks and in no object yet. */
  readonly localOffsets: number;
}

/** Cools the target, runs `read`, and accounts for it. Throws when the target cannot be cooled or asked. */
export const runColdPass = async (
  context: RunContext,
  topicIds: ReadonlyMap<number, string>,
  read: () => Promise<PassOutcome>,
): Promise<ColdPassResult> => {
  const { cooling, objectStore, brokerStats } = context.target.can;
  const { clock, interruption } = context;
  const signal = interruption.replay;
  if (cooling === undefined || objectStore === undefined) throw new Error('this target cannot be cooled');
  const local = await cooling.cool(signal);
  const before = (await brokerStats?.read(signal)) ?? [];
  const sinceWallMs = clock.wall();
  const outcome = await read();
  await clock.sleep(LOG_SETTLES_MS, signal);
  const untilWallMs = clock.wall();
  const after = (await brokerStats?.read(signal)) ?? [];
  const window = { sinceWallMs, untilWallMs };
  const requests = (await objectStore.requests?.(sinceWallMs, signal)) ?? [];
  const { localOffsets, ...covered } = await coveredOffsets(
    objectStore,
    outcome,
    topicIds,
    { ...window, requests, local },
    signal,
  );
  const store = countStoreReads(
    requests,
    window,
    new Set(topicIds.values()),
    objectStore.describeKey?.bind(objectStore),
  );
  return {
    outcome,
    store,
    localOffsets,
    facts: { ...covered, ...(brokerStats === undefined ? {} : { sources: readSourcesBetween(before, after) }) },
  };
};

const length = (ranges: readonly { readonly from: number; readonly to: number }[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0);

const coveredOffsets = async (
  store: ObjectStoreAccess,
  outcome: PassOutcome,
  topicIds: ReadonlyMap<number, string>,
  {
    requests,
    local,
    ...window
  }: {
    readonly sinceWallMs: number;
    readonly untilWallMs: number;
    readonly requests: readonly StoreRequest[];
    readonly local: readonly LocalPart[];
  },
  signal: AbortSignal,
): Promise<Required<Pick<ColdFacts, 'coldOffsets' | 'uncoveredOffsets'>> & { readonly localOffsets: number }> => {
  let coldOffsets = 0;
  let uncoveredOffsets = 0;
  let localOffsets = 0;
  for (const { partition, from, position } of outcome.ranges) {
    const topicId = topicIds.get(partition) ?? '';
    const own = local.find((part) => part.topicId === topicId && part.partition === partition);
    const pass = { topicId, partition, from, to: position, ...window, ...(own && { localFrom: own.from }) };
    const { covered, uncovered, localOffsets: here } = await accountColdReads(pass, requests, store, signal);
    coldOffsets += length(covered);
    uncoveredOffsets += length(uncovered);
    localOffsets += here;
  }
  return { coldOffsets, uncoveredOffsets, localOffsets };
};

/** One harness line's text when a cold pass does not count, else undefined. */
export const coldShortfall = ({ facts, store }: Pick<ColdPassResult, 'facts' | 'store'>): string | undefined => {
  if (store.reads === 0) return 'no read of the object store was seen while the cold pass went on';
  const { uncoveredOffsets = 0 } = facts;
  return uncoveredOffsets === 0
    ? undefined
    : `${uncoveredOffsets} offsets of the cold pass were not read from the object store`;
};

export const coldFailure = (thrown: unknown): string => `the cold pass failed: ${describeError(thrown)}`;
