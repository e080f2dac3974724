// The external target: a cluster somebody else runs. It is connected to, measured and, where a scenario says so, given orders by
// Kafka's own protocol; nothing can be done to its machines, and it is never disposed of.
import { resolve } from 'node:path';
import { describeError, EnvironmentError } from '../errors.ts';
import type { BrokerId } from '../vocabulary.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { WireError } from '../wire/protocol.ts';
import { resolveSecurity } from './resolve-security.ts';
import { type ServedBroker, servedBrokers } from './served-addresses.ts';
import type { Address, Administration, StartedTarget, StartOptions } from './target.ts';
import { describeSecurity, type ExternalSpec, parseAddress } from './target-spec.ts';

/** Ends that are about how to speak to the cluster, and not about whether it is there. */
const OF_SECURITY: ReadonlySet<string> = new Set([
  'WIRE_LOGIN_REFUSED',
  'WIRE_SASL_MECHANISM',
  'WIRE_SERVER_UNPROVEN',
  'WIRE_TLS_FAILED',
]);

/** How a listener shows that it expects to be spoken to in another way. */
const NOT_OUR_WAY: ReadonlySet<string> = new Set(['WIRE_CLOSED', 'WIRE_FRAME_LENGTH']);

const REACH_DEADLINE_MS = 5_000;

/** The brokers as told by the first bootstrap server that answers. */
const reach = async (
  bootstrap: readonly Address[],
  security: ConnectionSecurity | undefined,
  signal: AbortSignal,
): Promise<readonly ServedBroker[]> => {
  const refusals: string[] = [];
  let hungUp = false;
  for (const address of bootstrap) {
    try {
      return await servedBrokers(address, REACH_DEADLINE_MS, signal, security);
    } catch (thrown) {
      signal.throwIfAborted();
      // Another broker would say the same, and too many wrong passwords lock an account.
      if (thrown instanceof WireError && OF_SECURITY.has(thrown.code)) throw thrown;
      hungUp ||= thrown instanceof WireError && NOT_OUR_WAY.has(thrown.code);
      refusals.push(`${address.host}:${address.port}: ${describeError(thrown)}`);
    }
  }
  throw new EnvironmentError(
    'TARGET_UNREACHABLE',
    `None of the bootstrap servers answered a Metadata request within ${REACH_DEADLINE_MS} ms. ${refusals.join(' | ')}`,
    { hint: hungUp ? hungUpHint(security) : 'Start the cluster, or correct bootstrapServers in the target file.' },
  );
};

/** A broker that closes a connection over the first question mostly wants to be spoken to in another way. */
const hungUpHint = (security: ConnectionSecurity | undefined): string =>
  security === undefined
    ? 'If the listener wants TLS or a login, say so under security in the target file.'
    : 'See that security.protocol in the target file is that of the listener.';

/** By reference: what a run writes down names secrets and never holds them. */
const administrationOf = ({ security }: ExternalSpec, folder: string): Administration =>
  security === undefined ? {} : { security: { spec: security, folder: resolve(folder) } };

/** Connects once to see that the cluster is there. */
export const startExternal = async (spec: ExternalSpec, options: StartOptions): Promise<StartedTarget> => {
  const bootstrap = spec.bootstrapServers.map(parseAddress);
  const security = resolveSecurity(spec.security, options.specFolder ?? '.');
  const served = await reach(bootstrap, security, options.signal);
  return {
    kind: 'external',
    ephemeral: false,
    profile: spec.profile,
    bootstrap,
    evidenceBootstrap: bootstrap,
    security,
    brokers: served.map(({ id, address }) => ({
      id: id as BrokerId,
      node: `broker/${id}`,
      advertised: address,
      direct: address,
    })),
    can: { administration: administrationOf(spec, options.specFolder ?? '.') },
    description: {
      kind: 'external',
      name: spec.name,
      fingerprint: {
        bootstrapServers: spec.bootstrapServers.join(', '),
        brokers: String(served.length),
        security: describeSecurity(spec.security),
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
