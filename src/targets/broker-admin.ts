// The admin listener of an embedded broker, for what the harness does and reads without going through Kafka's protocol.
import { InternalError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { Address, BrokerStats } from './target.ts';

const DEADLINE_MS = 3_000;
const FLUSH_WITHIN_MS = 8_000;

/** The parts of the answer to /stats that are used here. */
interface StatsAnswer {
  readonly reads: Pick<BrokerStats, 'cacheBytes' | 'walBytes' | 'objectBytes'>;
  readonly partitions: readonly {
    readonly pendingBytes?: number;
    readonly unuploadedBytes?: number;
    readonly cachedBytes?: number;
    /** `recovering` until its log can serve. */
    readonly state: string;
  }[];
}

const asStats = (answer: unknown): BrokerStats => {
  const stats = answer as Partial<StatsAnswer> | undefined;
  const { reads, partitions } = stats ?? {};
  if (typeof reads?.objectBytes !== 'number' || !Array.isArray(partitions)) {
    throw new InternalError('TARGET_BAD_STATS', 'A broker answered /stats with something that is no statistics.');
  }
  const logs: StatsAnswer['partitions'] = partitions;
  const sum = (pick: (log: StatsAnswer['partitions'][number]) => number): number =>
    logs.reduce((total, log) => total + pick(log), 0);
  return {
    ...reads,
    backlogBytes: sum((log) => (log.pendingBytes ?? 0) + (log.unuploadedBytes ?? 0)),
    cachedBytes: sum((log) => log.cachedBytes ?? 0),
    recovering: logs.filter((log) => log.state === 'recovering').length,
  };
};

/** Uploads everything the broker has acknowledged; resolves when the index holds it. */
export const flushBroker = async (admin: Address, signal: AbortSignal): Promise<void> => {
  await httpJson({
    method: 'POST',
    address: admin,
    path: '/flush',
    body: { withinMs: FLUSH_WITHIN_MS },
    deadlineMs: FLUSH_WITHIN_MS + DEADLINE_MS,
    signal,
  });
};

/** Makes the broker forget every byte of data it holds in memory. */
export const dropBrokerCache = async (admin: Address, signal: AbortSignal): Promise<void> => {
  await httpJson({ method: 'POST', address: admin, path: '/drop-cache', deadlineMs: DEADLINE_MS, signal });
};

export const readBrokerStats = async (admin: Address, signal: AbortSignal): Promise<BrokerStats> =>
  asStats(await httpJson({ method: 'GET', address: admin, path: '/stats', deadlineMs: DEADLINE_MS, signal }));
