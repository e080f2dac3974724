// The canary of a link whose throughput matters: what it asks is as large as it has to be, and harmless. Brokers are asked about
// topics that nobody has and name each in their answer; controllers answer a question that comes with a long name of its asker;
// of the object store the canary's own object is written and read, and a volume gives back what it is sent.
import { systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import type { Address, Link, ObjectStoreAccess, StartedTarget } from '../targets/target.ts';
import { canaryKey, type LinkCanary } from './link-canary.ts';
import { takeBaseline } from './probes/baseline.ts';
import { probeHttp } from './probes/http-probe.ts';
import { askApiVersions, KafkaCanaryConnection, timedProbe } from './probes/kafka-connection.ts';
import { ProbeFailure, type ProbeResult } from './probes/probe.ts';
import { type Exchange, type TransferPlan, transfer } from './probes/transfer.ts';

const BASELINE_DEADLINE_MS = 5000;
const METADATA_VERSION = 12;
/** Below the 249 characters that a topic's name may have. */
const NAME_BYTES = 200;
const MOST_BODY_BYTES = 64 * 1024;
/** Below what the head of an HTTP request, and a string of Kafka's protocol, may have. */
const MOST_PADDING_BYTES = 4 * 1024;
const CLIENT_ID = 'ackproof-canary';

type Probe = LinkCanary['probe'];
type KafkaQuestion = (
  connection: KafkaCanaryConnection,
  deadlineMs: number,
  signal: AbortSignal,
) => Promise<ProbeResult>;

export interface TransferSurroundings {
  readonly target: StartedTarget;
  readonly runId: string;
  readonly plan: TransferPlan;
}

const askUnknownTopics = (plan: TransferPlan): KafkaQuestion => {
  const count = Math.ceil(Math.min(MOST_BODY_BYTES, plan.bytes) / NAME_BYTES);
  const topics = Array.from({ length: count }, (_, index) => ({
    name: `__ackproof-canary-${index}`.padEnd(NAME_BYTES, '-'),
  }));
  return async (connection, deadlineMs, signal) =>
    await timedProbe(async () => {
      const body = { topics, allowAutoTopicCreation: false };
      await connection.ask('Metadata', METADATA_VERSION, body, deadlineMs, signal);
    });
};

const exchangeOn =
  (connection: KafkaCanaryConnection, question: KafkaQuestion): Exchange =>
  async (deadlineMs, signal) => {
    const before = connection.passed;
    const result = await question(connection, deadlineMs, signal);
    const { upstream, downstream } = connection.passed;
    const passed = { upstream: upstream - before.upstream, downstream: downstream - before.downstream };
    return { ...result, passed };
  };

interface KafkaTransfers {
  /** Rejects with a ProbeFailure. */
  readonly open: (deadlineMs: number, signal: AbortSignal) => Promise<KafkaCanaryConnection>;
  readonly question: KafkaQuestion;
  readonly plan: TransferPlan;
}

const kafkaTransfers = (
  address: Address,
  isController: boolean,
  { target, plan }: TransferSurroundings,
): KafkaTransfers => {
  const padding = isController ? Math.min(MOST_PADDING_BYTES, plan.bytes) : 0;
  const clientId = CLIENT_ID.padEnd(padding, '-');
  return {
    open: async (deadlineMs, signal) =>
      await KafkaCanaryConnection.open(address, deadlineMs, signal, target.security, clientId),
    question: isController ? askApiVersions : askUnknownTopics(plan),
    plan,
  };
};

const failureOf = (thrown: unknown): ProbeFailure => {
  if (thrown instanceof ProbeFailure) return thrown;
  throw thrown;
};

const onNewConnection =
  ({ open, question, plan }: KafkaTransfers): Probe =>
  async (deadlineMs, signal) => {
    const started = systemClock.now();
    const opened = await open(deadlineMs, signal).catch(failureOf);
    if (opened instanceof ProbeFailure) return { class: opened.class, ms: systemClock.now() - started };
    try {
      return await transfer(plan, [exchangeOn(opened, question)], deadlineMs, signal);
    } finally {
      opened.close();
    }
  };

/** Whoever asks while a transfer is under way gets the answer of that one: they would only slow each other down. */
const onHeldConnection = (connection: KafkaCanaryConnection, { question, plan }: KafkaTransfers): Probe => {
  let underWay: Promise<ProbeResult> | undefined;
  return async (deadlineMs, signal) => {
    const { ended } = connection;
    if (ended !== undefined) return { class: ended, ms: 0 };
    underWay ??= transfer(plan, [exchangeOn(connection, question)], deadlineMs, signal).finally(() => {
      underWay = undefined;
    });
    return await underWay;
  };
};

const storeExchanges = async (
  address: Address,
  store: ObjectStoreAccess,
  { runId, plan }: TransferSurroundings,
  signal: AbortSignal,
): Promise<readonly Exchange[]> => {
  const key = canaryKey(runId, `transfer-${address.port}`);
  const path = `/${store.bucket}/${key}`;
  // Each way has its share, so that a limit of both is felt both ways.
  const body = Buffer.alloc(Math.min(MOST_BODY_BYTES, Math.ceil(plan.bytes / plan.ways.length)), '-');
  await store.put(key, body, signal);
  return plan.ways.map(
    (way): Exchange =>
      async (deadlineMs, own) =>
        way === 'upstream'
          ? await probeHttp({ address, method: 'PUT', path, body, deadlineMs }, own)
          : await probeHttp({ address, method: 'GET', path, deadlineMs }, own),
  );
};

/** Of a volume, which gives back what it is sent. */
const echoExchange = (address: Address, plan: TransferPlan): Exchange => {
  const body = Buffer.alloc(Math.min(MOST_BODY_BYTES, Math.ceil(plan.bytes / plan.ways.length)), '-');
  return async (deadlineMs, signal) =>
    await probeHttp({ address, method: 'PUT', path: '/__ackproof-canary', body, deadlineMs }, signal);
};

/** That it answers at all is what counts. */
const httpExchange = (address: Address, plan: TransferPlan): Exchange => {
  const path = '/__ackproof-canary/'.padEnd(Math.min(MOST_PADDING_BYTES, plan.bytes), '-');
  return async (deadlineMs, signal) => {
    const result = await probeHttp({ address, method: 'GET', path, deadlineMs }, signal);
    return result.class.startsWith('http:') ? { ...result, class: 'ok' } : result;
  };
};

const httpExchanges = async (
  link: Link,
  around: TransferSurroundings,
  signal: AbortSignal,
): Promise<readonly Exchange[]> => {
  if (link.path === 'wal' && link.speaks === 'http') return [echoExchange(link.listen, around.plan)];
  if (link.speaks === 'http') return [httpExchange(link.listen, around.plan)];
  const store = around.target.can.objectStore;
  if (store === undefined) throw new InternalError('FAULT_NO_STORE', `${link.proxy} leads to no known store.`);
  return await storeExchanges(link.listen, store, around, signal);
};

const baselineOfTransfers = async (what: string, probe: Probe, signal: AbortSignal) =>
  await takeBaseline(what, async () => await probe(BASELINE_DEADLINE_MS, signal));

/** Opens the canary of a link and takes the baseline of its transfers. */
export const openTransferCanary = async (
  link: Link,
  around: TransferSurroundings,
  signal: AbortSignal,
): Promise<LinkCanary> => {
  const name = `the ${link.path} path of ${link.node}`;
  if (link.speaks !== 'kafka') {
    const exchanges = await httpExchanges(link, around, signal);
    const probe: Probe = async (deadlineMs, own) => await transfer(around.plan, exchanges, deadlineMs, own);
    return { link, baseline: await baselineOfTransfers(name, probe, signal), probe, close: () => undefined };
  }
  const transfers = kafkaTransfers(link.listen, link.path === 'controller', around);
  const probe = onNewConnection(transfers);
  const baseline = await baselineOfTransfers(name, probe, signal);
  const held = await transfers.open(BASELINE_DEADLINE_MS, signal);
  return { link, baseline, probe, probeHeld: onHeldConnection(held, transfers), close: () => held.close() };
};

/** Transfers to a broker itself, past every proxy. */
export const directTransfers = async (
  name: string,
  address: Address,
  around: TransferSurroundings,
  signal: AbortSignal,
): Promise<Pick<LinkCanary, 'baseline' | 'probe'>> => {
  const probe = onNewConnection(kafkaTransfers(address, false, around));
  return { baseline: await baselineOfTransfers(name, probe, signal), probe };
};
