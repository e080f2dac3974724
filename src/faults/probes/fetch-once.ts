// One fetch from one broker, whoever leads: what it takes, and how many bytes of records come. By the address that clients use.
import type { BrokerNode, StartedTarget } from '../../targets/target.ts';
import { KafkaCanaryConnection, timedProbe } from './kafka-connection.ts';
import { ProbeFailure, type ProbeResult } from './probe.ts';

const FETCH_VERSION = 11;
const LIST_VERSION = 5;
const LATEST = -1;
const FEW_BYTES = 1024;

export interface FetchPlace {
  readonly topic: string;
  readonly partition: number;
  /** An offset, or where the log ends now. */
  readonly from: number | 'end';
  readonly maxBytes?: number;
}

const refuse = (code: number, what: string): void => {
  if (code !== 0) throw new ProbeFailure(`kafka:${code}`, what);
};

const endOf = async (
  connection: KafkaCanaryConnection,
  { topic, partition }: FetchPlace,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<number> => {
  const topics = [{ name: topic, partitions: [{ partitionIndex: partition, timestamp: LATEST }] }];
  const answer = await connection.ask('ListOffsets', LIST_VERSION, { replicaId: -1, topics }, deadlineMs, signal);
  const [row] = answer.topics[0]?.partitions ?? [];
  refuse(row?.errorCode ?? 0, 'ListOffsets');
  return row?.offset ?? 0;
};

/** Opens a connection, asks and closes it; `bytes` is what came of records. */
export const fetchOnce = async (
  { security }: StartedTarget,
  { advertised }: BrokerNode,
  place: FetchPlace,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  let bytes = 0;
  const result = await timedProbe(async () => {
    const connection = await KafkaCanaryConnection.open(advertised, deadlineMs, signal, security);
    try {
      const fetchOffset = place.from === 'end' ? await endOf(connection, place, deadlineMs, signal) : place.from;
      const asked = { partition: place.partition, fetchOffset, partitionMaxBytes: place.maxBytes ?? FEW_BYTES };
      const body = { maxWaitMs: 0, minBytes: 0, topics: [{ topic: place.topic, partitions: [asked] }] };
      const answer = await connection.ask(
        'Fetch',
        FETCH_VERSION,
        { ...body, forgottenTopicsData: [] },
        deadlineMs,
        signal,
      );
      refuse(answer.errorCode, 'Fetch');
      const [row] = answer.responses[0]?.partitions ?? [];
      refuse(row?.errorCode ?? 0, 'Fetch');
      bytes = row?.records?.length ?? 0;
    } finally {
      connection.close();
    }
  });
  return { ...result, bytes };
};
