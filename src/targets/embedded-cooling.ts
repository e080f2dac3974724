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

const isCool = async (broker: CoolableBroker, signal: AbortSignal): Promise<string | undefined> => {
  const { backlogBytes, cachedBytes } = await readBrokerStats(broker.admin, signal);
  return backlogBytes === 0 && cachedBytes === 0
    ? undefined
    : `${broker.node} has ${backlogBytes} bytes to upload and ${cachedBytes} in its cache`;
};

/** `running` gives the brokers that have a process just now; with none of them there is nothing that could be read. */
export const embeddedCooling = (running: () => readonly CoolableBroker[]): Cooling => ({
  cool: async (signal) => {
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
        const warm = (await Promise.all(brokers.map(async (broker) => await isCool(broker, signal)))).find(
          (each) => each !== undefined,
        );
        return warm === undefined ? done(undefined) : notYet(warm);
      },
    );
  },
});
