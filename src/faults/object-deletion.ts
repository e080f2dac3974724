// Deleting data objects for good: which ones, by the seed, and what shows that they are gone while their siblings are there.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { ObjectStoreAccess, StoredObject } from '../targets/target.ts';
import { sampleControl, storeControl } from './controls.ts';
import type { DestroyedObject, EvidenceSample, FaultContext, PreparedFault, VictimSelector } from './fault.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';
import { probeHttp } from './probes/http-probe.ts';
import { describeProbe } from './probes/probe.ts';
import { requireCapability } from './victim.ts';

/** How long to wait for the first data object; uploads lag behind acknowledgements by design. */
const OBJECT_WAIT_MS = 10_000;
const POLL_MS = 200;
const PROBE_DEADLINE_MS = 2000;

type DataObject = StoredObject & DestroyedObject;

const dataObjects = async (store: ObjectStoreAccess, signal: AbortSignal): Promise<readonly DataObject[]> => {
  const stored = await store.list(store.dataPrefix, signal);
  return stored.flatMap((object) => {
    const described = store.describeKey?.(object.key);
    return described === undefined ? [] : [{ ...object, ...described }];
  });
};

/** Whether a topic's objects may be deleted: the scenario's partition where it names one, else any that is no canary's. */
const isWanted = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<(object: DataObject) => boolean> => {
  const view = await askAnyMetadata(context.target.evidenceBootstrap, signal, context.target.security);
  if (selector.kind !== 'leaderOf') {
    const names = new Map(view.partitions.map((each) => [each.topicId, each.topic]));
    return (object) => names.get(object.topicId)?.startsWith('__') === false;
  }
  const topic = context.topicName(selector.topic);
  const wanted = view.partitions.find((each) => each.topic === topic && each.partition === selector.partition);
  return (object) => object.topicId === wanted?.topicId && object.partition === selector.partition;
};

/** `count` objects by the seed, and one more that stays, as soon as there are any. */
const chooseObjects = async (
  context: FaultContext,
  store: ObjectStoreAccess,
  selector: VictimSelector,
  count: number,
  signal: AbortSignal,
): Promise<{ readonly doomed: readonly DataObject[]; readonly sibling: DataObject | undefined }> => {
  const until = systemClock.now() + OBJECT_WAIT_MS;
  for (;;) {
    const wanted = await isWanted(context, selector, signal);
    const all = await dataObjects(store, signal);
    const candidates = all.filter(wanted).sort((one, other) => (one.key < other.key ? -1 : 1));
    if (candidates.length >= count) {
      const doomed = context.random.shuffle(candidates).slice(0, count);
      return { doomed, sibling: all.find((object) => !doomed.includes(object)) };
    }
    if (systemClock.now() > until) {
      throw new EnvironmentError(
        'NO_DATA_OBJECTS',
        `Only ${candidates.length} data objects exist, ${count} were to be deleted.`,
        {
          hint: 'Begin the fault later, once records have been uploaded.',
        },
      );
    }
    await systemClock.sleep(POLL_MS, signal);
  }
};

const sampleDeleted = async (
  store: ObjectStoreAccess,
  doomed: readonly DataObject[],
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const listed = new Set((await store.list(store.dataPrefix, signal)).map((object) => object.key));
  const left = doomed.filter((object) => listed.has(object.key));
  const seen = `${doomed.length - left.length} of ${doomed.length} objects are not listed any more`;
  return { kind: 'mechanism', holds: left.length === 0, seen };
};

/** What a broker gets that reads one of them: by a broker's own path where there is one. */
const sampleMissing = async (
  context: FaultContext,
  store: ObjectStoreAccess,
  object: DataObject,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const link = context.target.can.links?.all.find((each) => each.path === 's3-data');
  if (link === undefined) {
    const found = await store.get(object.key, signal);
    return {
      kind: 'effect',
      holds: found === undefined,
      seen: `${object.key} ${found === undefined ? 'is missing' : 'is there'}`,
    };
  }
  const path = `/${store.bucket}/${object.key.split('/').map(encodeURIComponent).join('/')}`;
  const probe = { address: link.listen, method: 'GET', path, deadlineMs: PROBE_DEADLINE_MS } as const;
  const result = await probeHttp(probe, signal);
  return { kind: 'effect', holds: result.class === 'http:404', seen: `GET ${object.key}: ${describeProbe(result)}` };
};

/** Nothing is put back: what is deleted is gone. */
export const prepareDeletion = async (
  context: FaultContext,
  selector: VictimSelector,
  count: number,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { target, runId } = context;
  const store = requireCapability(target.can.objectStore, 'object store', target);
  requireCapability(store.describeKey?.bind(store), 'names of data objects that tell their records', target);
  const { doomed, sibling } = await chooseObjects(context, store, selector, count, signal);
  const control = await storeControl(target, runId, signal);
  const sampleSibling = async (own: AbortSignal): Promise<EvidenceSample[]> => {
    if (sibling === undefined) return [];
    const isThere = (await store.get(sibling.key, own)) !== undefined;
    return [{ kind: 'control', holds: isThere, seen: `${sibling.key} ${isThere ? 'is still there' : 'is gone too'}` }];
  };
  return {
    victims: ['object-store'],
    brokers: [],
    chosen: `${doomed.map((object) => object.key).join(', ')}, by the seed`,
    undo: { fault: 'object-loss', steps: [] },
    destroys: doomed,
    apply: async (own, begun) => {
      for (const object of doomed) {
        await store.remove(object.key, own);
        begun(`deleted ${object.key}`);
      }
      return { answer: `deleted ${doomed.length} objects` };
    },
    observe: async (own) => {
      const parts = await Promise.all([
        sampleDeleted(store, doomed, own).then((sample) => [sample]),
        Promise.all(doomed.slice(0, 3).map(async (object) => await sampleMissing(context, store, object, own))),
        sampleSibling(own),
        Promise.all(control === undefined ? [] : [sampleControl(control, own)]),
      ]);
      return parts.flat();
    },
    heal: async () => await Promise.resolve(),
    observeHealed: async () => await Promise.resolve([]),
  };
};
