// Who feels a worse setting, one way for each: a record that is too large now, connections that wait. Fewer threads nobody can be
// shown to feel, and that is said.
import { EnvironmentError } from '../errors.ts';
import type { BrokerNode } from '../targets/target.ts';
import { CanaryTopic } from './canary-topic.ts';
import type { EvidenceSample, FaultContext, ProbeClass } from './fault.ts';
import type { NodeCanary } from './node-canary.ts';
import { PATIENT_MS } from './probes/baseline.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';

const CREATION_RATE = 'max.connection.creation.rate';
const MAX_BYTES = 'message.max.bytes';
const TOO_LARGE: ProbeClass = 'kafka:10';
/** A connection that waits so much longer than before waits because it was told to. */
const WAITS_MS = 300;

export interface DegradeCanary {
  effect(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  /** The same asked of the peer, unless it is none of those that can tell. */
  control(telling: readonly BrokerNode[], signal: AbortSignal): Promise<readonly EvidenceSample[]>;
}

interface LargeRecords {
  readonly topic: CanaryTopic;
  readonly sizeBytes: number;
}

/** Records larger than the brokers are to take; until then they take them. @throws EnvironmentError where they do not. */
const openLargeRecords = async (
  context: FaultContext,
  brokers: readonly BrokerNode[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<LargeRecords> => {
  const topic = await CanaryTopic.create(context, brokers, signal);
  const records = { topic, sizeBytes: maxBytes + 1 };
  for (const broker of brokers) {
    await topic.awaitTaken(topic.partitionLedBy(broker), broker.advertised, signal);
    const result = await writeLarge(records, broker, signal);
    if (result.class !== 'ok') throw notTaken(records, broker, result);
  }
  return records;
};

const notTaken = ({ sizeBytes }: LargeRecords, { node }: BrokerNode, result: ProbeResult): EnvironmentError =>
  new EnvironmentError(
    'CANARY_BASELINE',
    `A record of ${sizeBytes} bytes was not taken by ${node} before the fault: ${describeProbe(result)}.`,
    { hint: `Choose a smaller ${MAX_BYTES}, so that there is something to lose.` },
  );

const writeLarge = async (
  { topic, sizeBytes }: LargeRecords,
  broker: BrokerNode,
  signal: AbortSignal,
): Promise<ProbeResult> =>
  await topic.produce(topic.partitionLedBy(broker), broker.advertised, PATIENT_MS, signal, sizeBytes);

const sampleLarge = async (
  records: LargeRecords,
  broker: BrokerNode,
  kind: EvidenceSample['kind'],
  wanted: ProbeClass,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const result = await writeLarge(records, broker, signal);
  const seen = `a record of ${records.sizeBytes} bytes to ${broker.node}: ${describeProbe(result)}`;
  return { kind, holds: result.class === wanted, seen };
};

/** One more connection at once than may come in a second, in every round: soon the allowance of the last seconds is used up. */
const sampleConnections = async (
  canary: NodeCanary,
  perSecond: number,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const { node, baseline } = canary;
  const asked = Array.from({ length: perSecond + 1 }, async () => await canary.probe(PATIENT_MS, signal));
  const results = await Promise.all(asked);
  const waited = results.filter(({ class: how, ms }) => how === 'timeout' || ms >= baseline.medianMs + WAITS_MS);
  const slowest = Math.max(...results.map(({ ms }) => ms));
  const seen = `${waited.length} of ${results.length} new connections to ${node} had to wait, the longest ${Math.round(slowest)} ms`;
  return { kind: 'effect', holds: waited.length > 0, seen };
};

const unseen = (name: string): EvidenceSample => ({
  kind: 'effect',
  holds: false,
  seen: `no canary can feel ${name}; say confirm: {require: mechanism} to go without`,
});

export interface DegradeCast {
  readonly victims: readonly BrokerNode[];
  /** One that nobody touches. */
  readonly peer: BrokerNode;
  /** The load's own, to the victims. */
  readonly paths: readonly NodeCanary[];
}

/** Opens what the wanted settings can be felt by. */
export const openDegradeCanary = async (
  context: FaultContext,
  { victims, peer, paths }: DegradeCast,
  wanted: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<DegradeCanary> => {
  const { [MAX_BYTES]: maxBytes, [CREATION_RATE]: rate, ...unfelt } = wanted;
  const large =
    maxBytes === undefined ? undefined : await openLargeRecords(context, [...victims, peer], Number(maxBytes), signal);
  return {
    effect: async (own) =>
      await Promise.all([
        ...Object.keys(unfelt).map(async (name) => await Promise.resolve(unseen(name))),
        ...(large === undefined
          ? []
          : victims.map(async (each) => await sampleLarge(large, each, 'effect', TOO_LARGE, own))),
        ...(rate === undefined ? [] : paths.map(async (path) => await sampleConnections(path, Number(rate), own))),
      ]),
    control: async (telling, own) => {
      if (large === undefined || !telling.some(({ node }) => node === peer.node)) return [];
      return [await sampleLarge(large, peer, 'control', 'ok', own)];
    },
  };
};
