// A TLS socket to a broker, and what its troubles mean to whoever wrote the target file.
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { describeError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import type { TlsSettings } from './connection-security.ts';
import { WireError } from './wire-error.ts';

const UNKNOWN_SIGNER: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);
const OUT_OF_DATE: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
/** Alerts by which a broker says that it wants a certificate, or another one. */
const CLIENT_CERTIFICATE =
  /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|ACCESS_DENIED|HANDSHAKE_FAILURE)/;

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';

const hintOf = (code: string): string => {
  if (UNKNOWN_SIGNER.has(code))
    return 'Name the authority that signed the broker’s certificate as tls.ca in the target file.';
  if (OUT_OF_DATE.has(code))
    return 'Give the broker a certificate that is valid now, or correct the clock of this machine.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'Name a host that the broker’s certificate is for, or say which it is for as tls.serverName in the target file.';
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    return 'Name a certificate that the broker accepts as tls.certificate and its key as tls.key in the target file.';
  }
  return 'See whether this port speaks TLS, and whether tls in the target file fits the broker.';
};

/** Whether a connection ended for a reason of TLS and not of the network. */
export const isTlsTrouble = (cause: unknown): boolean => {
  const code = codeOf(cause);
  return /^ERR_(SSL|TLS|OSSL)_/.test(code) || UNKNOWN_SIGNER.has(code) || OUT_OF_DATE.has(code) || code === 'EPROTO';
};

/** What OpenSSL says of its own doings is many words and a line break; its reason is enough. */
const wordsOf = (cause: unknown): string => {
  if (cause instanceof Error && 'reason' in cause && typeof cause.reason === 'string') return cause.reason;
  return describeError(cause).split('\n')[0]?.replace(/\.$/, '') ?? '';
};

/** `sent`: whether a request may have left before TLS ended the connection; damage on the way comes at any time. */
export const tlsError = (where: string, cause: unknown, sent: boolean): WireError =>
  new WireError('WIRE_TLS_FAILED', `${where}: TLS failed: ${wordsOf(cause)}.`, { hint: hintOf(codeOf(cause)), sent });

/** A socket that emits `secureConnect` once the broker has proved who it is. Throws `WIRE_TLS_FAILED` for settings that cannot be used. */
export const openTlsSocket = ({ host, port }: Address, settings: TlsSettings): TLSSocket => {
  const { ca, certificate, key, keyPassword, serverName } = settings;
  // A name is asked for and verified; an address is only verified, for TLS cannot ask for one.
  const servername = serverName ?? (isIP(host) === 0 ? host : undefined);
  try {
    return connect({
      host,
      port,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(servername === undefined ? {} : { servername }),
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key: key.reveal() }),
      ...(keyPassword === undefined ? {} : { passphrase: keyPassword.reveal() }),
    });
  } catch (cause) {
    throw new WireError(
      'WIRE_TLS_FAILED',
      `The certificate, its key or the authority cannot be used: ${wordsOf(cause)}.`,
      {
        hint: 'See that each is in PEM, that the key belongs to the certificate, and that tls.keyPassword is its password.',
        sent: false,
      },
    );
  }
};
