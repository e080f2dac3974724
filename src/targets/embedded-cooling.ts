// Cooling of the embedded cluster: brokers upload what is pending and forget what they hold, until the brokers themselves say
// that nothing is left that could answer a read without the object store.
import { EnvironmentError } from '../errors.ts';
import { dropBrokerCache, flushBroker, readBrokerStats } from './broker-admin.ts';
import type { Address, Cooling, NodeId } from './target.ts';
import { done, notYet, waitFor } from './wait-for.ts';

export interface CoolableBroker {
  readonly node: NodeId;
  readonly admin: Address;
}

const COOL_DEADLINE_MS = 15_000;

/** What keeps a broker from being cold, or undefined. */
const warmth = async ({ node, admin }: CoolableBroker, signal: AbortSignal): Promise<string | undefined> => {
  const { backlogBytes, cachedBytes, recovering } = await readBrokerStats(admin, signal);
  if (recovering > 0) return `${node} still recovers ${recovering} partitions`;
  return backlogBytes + cachedBytes === 0
    ? undefined
    : `${node} has ${backlogBytes} bytes to upload and ${cachedBytes} in its cache`;
};

/** `running` gives the brokers that have a process just now; with none of them there is nothing that could be read. */
export const embeddedCooling = (running: () => readonly CoolableBroker[]): Cooling => ({
  cool: async (signal) =>
    await waitFor(
      { awaited: 'the brokers to be cold', deadlineMs: COOL_DEADLINE_MS, everyMs: 50, signal },
      async () => {
        const brokers = running();
        if (brokers.length === 0) {
          throw new EnvironmentError('TARGET_NO_BROKER_TO_COOL', 'No broker is running, so none can be cooled.', {
            hint: 'Start the brokers before a cold pass.',
          });
        }
        await Promise.all(brokers.map(async (broker) => await flushBroker(broker.admin, signal)));
        await Promise.all(brokers.map(async (broker) => await dropBrokerCache(broker.admin, signal)));
        const warm = (await Promise.all(brokers.map(async (broker) => await warmth(broker, signal)))).find(
          (each) => each !== undefined,
        );
        return warm === undefined ? done([]) : notYet(warm);
      },
    ),
});
