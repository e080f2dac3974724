// The canary of one proxied link: the question that is asked through it, new connection by new connection, and on client links
// on a held connection too, because several faults touch only one of the two.
import { InternalError } from '../errors.ts';
import type { Link, ObjectStoreAccess, StartedTarget } from '../targets/target.ts';
import { within } from '../targets/wait-for.ts';
import { type Baseline, takeBaseline } from './probes/baseline.ts';
import { probeHttp } from './probes/http-probe.ts';
import { askApiVersions, KafkaCanaryConnection, probeKafka, timedProbe } from './probes/kafka-connection.ts';
import { ProbeFailure, type ProbeResult } from './probes/probe.ts';
import { probeStore } from './probes/store-probe.ts';

const BASELINE_DEADLINE_MS = 2000;
const DIRECT_DEADLINE_MS = 1500;
const CANARY_BODY = Buffer.from('canary of ackproof');

/** The object that reading canaries ask for; written once by the direct path. */
export const canaryKey = (runId: string, name: string): string => `__ackproof-canary/${runId}/${name}`;

/** Puts the object that reading canaries ask for, by the direct path. */
export const putCanary = async (store: ObjectStoreAccess, runId: string, signal: AbortSignal): Promise<void> => {
  await store.put(canaryKey(runId, 'shared'), CANARY_BODY, signal);
};

export interface LinkCanary {
  readonly link: Link;
  readonly baseline: Baseline;
  /** On a new connection each time. */
  probe(deadlineMs: number, signal: AbortSignal): Promise<ProbeResult>;
  /** Writes through the link, where a path has writes that do no harm (the object store's). */
  probeWrite?(deadlineMs: number, signal: AbortSignal): Promise<ProbeResult>;
  /** On the connection held since before the fault; its class stays what ended it. */
  probeHeld?(deadlineMs: number, signal: AbortSignal): Promise<ProbeResult>;
  close(): void;
}

type Probe = LinkCanary['probe'];

/** Asks in turn on one connection: a question that gets no answer must not make the next one look answered. */
const heldProbe = (connection: KafkaCanaryConnection): Probe => {
  let last: Promise<unknown> = Promise.resolve();
  return async (deadlineMs, signal) => {
    const mine = last.then(async () => {
      const { ended } = connection;
      return ended === undefined ? await askApiVersions(connection, deadlineMs, signal) : { class: ended, ms: 0 };
    });
    last = mine.catch(() => undefined);
    return await mine;
  };
};

const kafkaCanary = async (link: Link, { security }: StartedTarget, signal: AbortSignal): Promise<LinkCanary> => {
  const probe: Probe = async (deadlineMs, own) => await probeKafka(link.listen, deadlineMs, own, security);
  const baseline = await takeBaseline(
    `the ${link.path} path to ${link.node}`,
    async () => await probe(BASELINE_DEADLINE_MS, signal),
  );
  const connection = await KafkaCanaryConnection.open(link.listen, BASELINE_DEADLINE_MS, signal, security);
  return { link, baseline, probe, probeHeld: heldProbe(connection), close: () => connection.close() };
};

const storeCanary = async (
  link: Link,
  store: ObjectStoreAccess,
  runId: string,
  signal: AbortSignal,
): Promise<LinkCanary> => {
  const key = canaryKey(runId, 'shared');
  const written = canaryKey(runId, link.proxy);
  await putCanary(store, runId, signal);
  const { listen: address } = link;
  const probe: Probe = async (deadlineMs, own) =>
    await probeStore(store, { address, method: 'GET', key, deadlineMs }, own);
  const probeWrite: Probe = async (deadlineMs, own) =>
    await probeStore(store, { address, method: 'PUT', key: written, body: CANARY_BODY, deadlineMs }, own);
  const baseline = await takeBaseline(
    `the ${link.path} path of ${link.node}`,
    async () => await probe(BASELINE_DEADLINE_MS, signal),
  );
  return { link, baseline, probe, probeWrite, close: () => undefined };
};

/** That it answers at all is what counts. */
const httpCanary = async (link: Link, signal: AbortSignal): Promise<LinkCanary> => {
  const probe: Probe = async (deadlineMs, own) => {
    const result = await probeHttp({ address: link.listen, method: 'GET', path: '/', deadlineMs }, own);
    return result.class.startsWith('http:') ? { ...result, class: 'ok' } : result;
  };
  const baseline = await takeBaseline(
    `the ${link.path} path of ${link.node}`,
    async () => await probe(BASELINE_DEADLINE_MS, signal),
  );
  return { link, baseline, probe, close: () => undefined };
};

/** Opens the canary of a link and takes its baseline. */
export const openLinkCanary = async (
  link: Link,
  target: StartedTarget,
  runId: string,
  signal: AbortSignal,
): Promise<LinkCanary> => {
  switch (link.speaks) {
    case 'kafka':
      return await kafkaCanary(link, target, signal);
    case 'http':
      return await httpCanary(link, signal);
    case 's3': {
      const store = target.can.objectStore;
      if (store === undefined) throw new InternalError('FAULT_NO_STORE', `${link.proxy} leads to no known store.`);
      return await storeCanary(link, store, runId, signal);
    }
  }
};

/** The store seen by its direct path, as a probe. */
export const probeStoreDirect = async (
  store: ObjectStoreAccess,
  runId: string,
  signal: AbortSignal,
): Promise<ProbeResult> =>
  await timedProbe(async () => {
    // A signal of its own for each call: clients of object stores leave their listeners on it.
    const ask = async (own: AbortSignal) => await store.get(canaryKey(runId, 'shared'), own);
    const found = await within(DIRECT_DEADLINE_MS, signal, ask).catch((cause: unknown) => {
      throw new ProbeFailure('eof', 'the direct path to the object store', cause);
    });
    if (found === undefined) throw new ProbeFailure('http:404', 'the canary object on the direct path');
  });
