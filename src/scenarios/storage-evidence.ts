// What a part sees of the object store, with credentials of the harness's own and by no broker's path: what the record has to name of
// it, listings before, while and after the part goes on, the index held against the objects, a range of one of them, and the
// requests that the store counted. All of it goes into the timeline, and the gates on storage are judged from there. What cannot be
// had is told as a gap and fails nothing.
import { describeError } from '../errors.ts';
import { compareWithIndex } from '../evidence/index-comparison.ts';
import { readSample, type SampledStore, sampledObject } from '../evidence/range-sample.ts';
import { tallyRequests } from '../evidence/request-tally.ts';
import type { InventoryLine, StorageGap } from '../ledger/storage-lines.ts';
import {
  MOST_LISTED,
  type ObjectListing,
  type ObjectStoreAccess,
  type StartedTarget,
  type StoredObject,
} from '../targets/target.ts';
import type { Part } from './part.ts';
import type { RunContext } from './run-context.ts';

type When = InventoryLine['when'];
type Held = InventoryLine['prefixes'][number]['holds'];

/** What is listed at once: objects below a prefix of one bucket. */
interface Place {
  readonly prefix: string;
  readonly holds: Held;
  readonly list: (signal: AbortSignal) => Promise<readonly StoredObject[]>;
}

/** A store as it is listed, whoever's it is; data come first. */
interface LookedAt {
  readonly places: readonly Place[];
  readonly sampled: SampledStore | undefined;
  /** Where it keeps an index, and a log of requests. */
  readonly access: ObjectStoreAccess | undefined;
  /** More than so many are not listed. */
  readonly most: number;
}

const LOOK_EVERY_MS = 5_000;

const sampledOf = (store: ObjectStoreAccess): SampledStore | undefined => {
  const getRange = store.getRange?.bind(store);
  const describeKey = store.describeKey?.bind(store);
  return getRange && { getRange, ...(describeKey === undefined ? {} : { describeKey }) };
};

const listingPlace = (listing: ObjectListing, holds: Held): Place => ({
  prefix: listing.prefix,
  holds,
  list: listing.list.bind(listing),
});

const lookedAt = ({ can: { objectStore }, objectListing, walListing }: StartedTarget): LookedAt | undefined => {
  if (objectStore !== undefined) {
    const place = (prefix: string, holds: Held): Place => ({
      prefix,
      holds,
      list: async (signal) => await objectStore.list(prefix, signal),
    });
    const { dataPrefix, walPrefix } = objectStore;
    return {
      places: [place(dataPrefix, 'data'), ...(walPrefix === undefined ? [] : [place(walPrefix, 'wal')])],
      sampled: sampledOf(objectStore),
      access: objectStore,
      most: Infinity,
    };
  }
  if (objectListing === undefined) return undefined;
  return {
    places:
      walListing === undefined
        ? [listingPlace(objectListing, 'other')]
        : [listingPlace(objectListing, 'data'), listingPlace(walListing, 'wal')],
    sampled: { getRange: objectListing.getRange.bind(objectListing) },
    access: undefined,
    most: MOST_LISTED,
  };
};

const tellGap = (part: Part, what: StorageGap['what'], state: StorageGap['state'], because: string): void =>
  part.tell({ t: 'storage-gap', what, state, because });

/** Runs one look; what it throws is a gap. */
const orGap = async (part: Part, what: StorageGap['what'], look: () => Promise<void>): Promise<void> => {
  try {
    await look();
  } catch (thrown) {
    tellGap(part, what, 'not collected', describeError(thrown));
  }
};

const backlogOf = async ({ can }: StartedTarget, signal: AbortSignal): Promise<number | undefined> => {
  const read = await can.brokerStats?.read(signal).catch(() => undefined);
  return read?.reduce((sum, { stats }) => sum + stats.backlogBytes, 0);
};

const tellListing = async (
  target: StartedTarget,
  part: Part,
  store: LookedAt,
  when: When,
  signal: AbortSignal,
): Promise<readonly StoredObject[]> => {
  const listed = await Promise.all(store.places.map(async ({ list }) => await list(signal)));
  const backlogBytes = await backlogOf(target, signal);
  const prefixes = store.places.map(({ prefix, holds }, index) => {
    const objects = listed[index] ?? [];
    return { prefix, holds, objects: objects.length, bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
  });
  const whole = listed.every(({ length }) => length < store.most);
  part.tell({ t: 'inventory', when, prefixes, whole, ...(backlogBytes === undefined ? {} : { backlogBytes }) });
  return listed[0] ?? [];
};

/** Tells what is named of the storage, and looks at it before anything is sent. */
export const tellStorageBefore = async ({ target, interruption }: RunContext, part: Part): Promise<void> => {
  const store = lookedAt(target);
  if (target.storage !== undefined) part.tell({ t: 'storage', facts: target.storage });
  if (store === undefined) return;
  await orGap(part, 'inventory', async () => {
    await tellListing(target, part, store, 'before', interruption.load);
  });
};

/** Looks now and then while the part goes on; disposing the result ends it. A look that fails is one look less. */
export const watchStorage = ({ target, clock }: RunContext, part: Part): AsyncDisposable => {
  const store = lookedAt(target);
  const stop = new AbortController();
  const look = async (at: LookedAt): Promise<void> => {
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, stop.signal); // rejects when the watch is stopped
      await tellListing(target, part, at, 'during', stop.signal).catch(() => undefined);
    }
  };
  const running = store === undefined ? undefined : look(store).catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};

const tellIndex = async (part: Part, store: LookedAt, ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> => {
  const compared = store.access === undefined ? undefined : await compareWithIndex(store.access, ids, signal);
  if (compared === undefined) tellGap(part, 'index', 'not provided', 'the target shows no index of its objects');
  else part.tell({ t: 'index', ...compared });
};

const tellRange = async (
  part: Part,
  store: LookedAt,
  objects: readonly StoredObject[],
  signal: AbortSignal,
): Promise<void> => {
  const object = sampledObject(objects);
  if (store.sampled === undefined || object === undefined) {
    tellGap(part, 'range-read', 'not collected', 'there is no object that could be read');
    return;
  }
  part.tell({ t: 'range-read', ...(await readSample(store.sampled, object, signal)) });
};

/** The load, and the replay after it. */
const tellRequests = async (
  { clock }: RunContext,
  part: Part,
  { access }: LookedAt,
  signal: AbortSignal,
): Promise<void> => {
  if (access?.requests === undefined) {
    tellGap(part, 'requests', 'not collected', 'the store’s own count of requests is not read here');
    return;
  }
  const now = clock.wall();
  const began = now - part.at();
  const replayAt = part.record().phases.find(({ phase }) => phase === 'replay')?.from;
  const turn = replayAt === undefined ? now : began + replayAt;
  const requests = await access.requests(began, signal);
  const load = tallyRequests(requests, { fromMs: began, toMs: turn });
  const replay = tallyRequests(requests, { fromMs: turn, toMs: now });
  part.tell({ t: 'requests', stage: 'load', rows: load });
  part.tell({ t: 'requests', stage: 'replay', rows: replay });
};

/** When the replay is over: what is there, whether it is what the index says, and what it cost in requests. */
export const tellStorageAfter = async (
  context: RunContext,
  part: Part,
  topicIds: ReadonlySet<string>,
): Promise<void> => {
  const { target, interruption } = context;
  const store = lookedAt(target);
  if (store === undefined || interruption.replay.aborted) return;
  const signal = interruption.replay;
  let objects: readonly StoredObject[] = [];
  await orGap(part, 'requests', async () => await tellRequests(context, part, store, signal));
  await orGap(part, 'inventory', async () => {
    objects = await tellListing(target, part, store, 'after', signal);
  });
  await orGap(part, 'index', async () => await tellIndex(part, store, topicIds, signal));
  const isOurs = ({ key }: StoredObject): boolean => {
    const records = store.sampled?.describeKey?.(key);
    return store.access === undefined || (records !== undefined && topicIds.has(records.topicId));
  };
  await orGap(part, 'range-read', async () => await tellRange(part, store, objects.filter(isOurs), signal));
};
