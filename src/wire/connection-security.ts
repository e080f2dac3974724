// How a cluster wants to be spoken to: through TLS, after a login, both or neither. One value for every connection of a run,
// whoever opens it: load, readers, evidence and canaries.
import type { Secret } from './secret.ts';

/** What our own client and kafkajs can both log in with. */
export const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

/** The broker's certificate is always verified: a test of the wrong cluster proves nothing. */
export interface TlsSettings {
  /** Certificates in PEM of those who may have signed the broker's; absent: those that Node.js trusts. */
  readonly ca?: string;
  /** Our own certificate and its chain in PEM, with its key. */
  readonly certificate?: string;
  readonly key?: Secret;
  readonly keyPassword?: Secret;
  /** The name that the broker's certificate is for, where it is not the host that is connected to. */
  readonly serverName?: string;
}

export interface SaslSettings {
  readonly mechanism: SaslMechanism;
  readonly username: Secret;
  readonly password: Secret;
}

export interface ConnectionSecurity {
  readonly tls?: TlsSettings;
  readonly sasl?: SaslSettings;
}
