// What a fault may change by Kafka's own protocol and must put back: canary topics, and settings of single brokers. Asked of the
// direct listeners that docker-compose.yml publishes.
import { ClusterClient } from '../../../src/wire/cluster-client.ts';
import { describeSettings } from '../../../src/wire/config-changes.ts';
import { deadlineAfter } from '../../../src/wire/deadline.ts';

const BROKERS = [1, 2, 3];
const DEADLINE_MS = 30_000;

const bootstrap = BROKERS.map((id) => ({
  host: '127.0.0.1',
  port: Number(process.env[`ACKPROOF_DIRECT_PORT_${id}`] ?? 11_190 + id),
}));

/** Topics that only canaries are called like, and what is set on each broker itself. */
export const clusterSnapshot = async (): Promise<unknown> => {
  const client = new ClusterClient({ bootstrap, clientId: 'ackproof-kill-sweep' });
  try {
    const { topics } = await client.metadata(null, deadlineAfter(DEADLINE_MS));
    const settings = BROKERS.map(async (id) => {
      const found = await describeSettings(client, { type: 'broker', name: String(id) }, ['message.max.bytes'], {
        deadlineMs: DEADLINE_MS,
      });
      return [...found].filter(([, { isOwn }]) => isOwn).map(([name, { value }]) => `${id} ${name}=${value}`);
    });
    return {
      canaries: topics.map(({ name }) => name).filter((name) => name.startsWith('__ackproof')),
      settings: (await Promise.all(settings)).flat(),
    };
  } finally {
    client.close();
  }
};
