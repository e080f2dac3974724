// How a cluster that somebody else runs is first reached, and what is said where it is not: not there, or spoken to in another way
// than it wants.
import { describeError, EnvironmentError } from '../errors.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { WireError } from '../wire/protocol.ts';
import { type ServedCluster, servedCluster } from './served-addresses.ts';
import type { Address } from './target.ts';

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

/** The cluster as told by the first of its servers that answers; `named` is where they stand in the target file. */
export const reachCluster = async (
  servers: readonly Address[],
  named: 'bootstrapServers' | 'directServers',
  security: ConnectionSecurity | undefined,
  signal: AbortSignal,
): Promise<ServedCluster> => {
  const refusals: string[] = [];
  let hungUp = false;
  for (const address of servers) {
    try {
      return await servedCluster(address, REACH_DEADLINE_MS, signal, security);
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
    `None of the ${named} answered a Metadata request within ${REACH_DEADLINE_MS} ms. ${refusals.join(' | ')}`,
    { hint: hungUp ? hungUpHint(security) : `Start the cluster, or correct ${named} in the target file.` },
  );
};

/** A broker that closes a connection over the first question mostly wants to be spoken to in another way. */
const hungUpHint = (security: ConnectionSecurity | undefined): string =>
  security === undefined
    ? 'If the listener wants TLS or a login, say so under security in the target file.'
    : 'See that security.protocol in the target file is that of the listener.';
