// The external target: a cluster somebody else runs. It is only connected to and measured; nothing can be done to it, so its
// capabilities are empty and it is never disposed of.
import { describeError, EnvironmentError } from '../errors.ts';
import type { BrokerId } from '../vocabulary.ts';
import { type ServedBroker, servedBrokers } from './served-addresses.ts';
import type { Address, StartedTarget, StartOptions } from './target.ts';
import { type ExternalSpec, parseAddress } from './target-spec.ts';

const REACH_DEADLINE_MS = 5_000;

/** The brokers as told by the first bootstrap server that answers. */
const reach = async (bootstrap: readonly Address[], signal: AbortSignal): Promise<readonly ServedBroker[]> => {
  const refusals: string[] = [];
  for (const address of bootstrap) {
    try {
      return await servedBrokers(address, REACH_DEADLINE_MS, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      refusals.push(`${address.host}:${address.port}: ${describeError(thrown)}`);
    }
  }
  throw new EnvironmentError(
    'TARGET_UNREACHABLE',
    `None of the bootstrap servers answered a Metadata request within ${REACH_DEADLINE_MS} ms. ${refusals.join(' | ')}`,
    { hint: 'Start the cluster, or correct bootstrapServers in the target file.' },
  );
};

/** Connects once to see that the cluster is there. */
export const startExternal = async (spec: ExternalSpec, options: StartOptions): Promise<StartedTarget> => {
  const bootstrap = spec.bootstrapServers.map(parseAddress);
  const served = await reach(bootstrap, options.signal);
  return {
    kind: 'external',
    ephemeral: false,
    profile: spec.profile,
    bootstrap,
    evidenceBootstrap: bootstrap,
    brokers: served.map(({ id, address }) => ({
      id: id as BrokerId,
      node: `broker/${id}`,
      advertised: address,
      direct: address,
    })),
    can: {},
    description: {
      kind: 'external',
      name: spec.name,
      fingerprint: {
        bootstrapServers: spec.bootstrapServers.join(', '),
        brokers: String(served.length),
        profile: spec.profile,
        node: process.version,
      },
    },
    logs: [],
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  };
};
