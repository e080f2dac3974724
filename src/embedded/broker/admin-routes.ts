// The harness's own door to a broker, HTTP on a port of its own: what it owns and where reads came from, and the two things a
// cold replay pass needs, an upload of everything and an empty cache.
import { describeError } from '../../errors.ts';
import type { JsonAnswer, JsonRoutes } from '../json-over-http.ts';
import { integerIn } from '../read-json.ts';
import type { BrokerServices } from './broker-services.ts';
import type { OwnedPartition } from './owned-partitions.ts';

const FLUSH_MS = 10_000;

const describePartition = (entry: OwnedPartition): Readonly<Record<string, unknown>> => {
  const { topic, partition, epoch, log } = entry;
  const named = { topic: topic.name, topicId: topic.topicId, partition, leaderEpoch: epoch };
  if (log === undefined) return { ...named, state: 'recovering' };
  const { logStart, highWatermark, endOffset } = log;
  return {
    ...named,
    state: log.isOwner ? 'owner' : 'ended',
    logStart,
    highWatermark,
    endOffset,
    ...log.stats(),
  };
};

/** Uploads everything; answers 503 when some log could not within `withinMs` of the body (default 10 s). */
const flush = async (services: BrokerServices, body: unknown): Promise<JsonAnswer> => {
  const withinMs = body === undefined ? FLUSH_MS : integerIn(body, 'withinMs', FLUSH_MS);
  const signal = AbortSignal.timeout(withinMs);
  const logs = services.partitions.logs();
  const flushed = await Promise.all(logs.map(async (log) => (await log.flush(signal)) || !log.isOwner));
  const isComplete = flushed.every(Boolean);
  if (isComplete) return { body: { partitions: logs.length } };
  return { status: 503, body: { error: `Not everything was uploaded within ${withinMs} ms.` } };
};

const describeBroker = (services: BrokerServices): Readonly<Record<string, unknown>> => ({
  brokerId: services.brokerId,
  viewVersion: services.view().version,
  reads: services.reads.totals(),
  partitions: services.partitions.all().map(describePartition),
});

export const adminRoutes = (services: BrokerServices): JsonRoutes => ({
  'GET /stats': () => ({ body: describeBroker(services) }),
  'POST /flush': async (body) => {
    try {
      return await flush(services, body);
    } catch (thrown) {
      return { status: 503, body: { error: describeError(thrown) } };
    }
  },
  'POST /drop-cache': () => {
    const logs = services.partitions.logs();
    for (const log of logs) log.dropCache();
    return { body: { partitions: logs.length } };
  },
});
