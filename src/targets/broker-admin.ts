// The admin listener of an embedded broker, for what the harness does and reads without going through Kafka's protocol.
import { InternalError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { Address, BrokerStats } from './target.ts';

const DEADLINE_MS = 3_000;
const FLUSH_DEADLINE_MS = 10_000;

const asStats = (answer: unknown): BrokerStats => {
  const stats = answer as Partial<BrokerStats> | undefined;
  const numbers = [stats?.cacheBytes, stats?.walBytes, stats?.objectBytes, stats?.backlogBytes, stats?.cachedBytes];
  if (numbers.every((value) => typeof value === 'number')) return stats as BrokerStats;
  throw new InternalError('TARGET_BAD_STATS', 'The broker answered /stats with something that is no statistics.');
};

/** Uploads everything the broker has acknowledged; resolves when the index holds it. */
export const flushBroker = async (admin: Address, signal: AbortSignal): Promise<void> => {
  await httpJson({ method: 'POST', address: admin, path: '/flush', deadlineMs: FLUSH_DEADLINE_MS, signal });
};

/** Makes the broker forget every byte of data it holds in memory. */
export const dropBrokerCache = async (admin: Address, signal: AbortSignal): Promise<void> => {
  await httpJson({ method: 'POST', address: admin, path: '/drop-cache', deadlineMs: DEADLINE_MS, signal });
};

export const readBrokerStats = async (admin: Address, signal: AbortSignal): Promise<BrokerStats> =>
  asStats(await httpJson({ method: 'GET', address: admin, path: '/stats', deadlineMs: DEADLINE_MS, signal }));
