// How the security of a run gets into another thread of it: with its secrets in the open, since a `Secret` does not outlive the way
// there, and sealed again where it arrives. It is written down nowhere.
import type { ConnectionSecurity, SaslMechanism, TlsSettings } from '../wire/connection-security.ts';
import { Secret } from '../wire/secret.ts';

/** `ConnectionSecurity` with its secrets in the open. */
export interface OpenSecurity {
  readonly tls?: Omit<TlsSettings, 'key' | 'keyPassword'> & { readonly key?: string; readonly keyPassword?: string };
  readonly sasl?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string };
}

export const openSecurity = ({ tls, sasl }: ConnectionSecurity): OpenSecurity => ({
  ...(tls === undefined ? {} : { tls: openTls(tls) }),
  ...(sasl === undefined
    ? {}
    : { sasl: { ...sasl, username: sasl.username.reveal(), password: sasl.password.reveal() } }),
});

const openTls = ({ key, keyPassword, ...open }: TlsSettings): NonNullable<OpenSecurity['tls']> => ({
  ...open,
  ...(key === undefined ? {} : { key: key.reveal() }),
  ...(keyPassword === undefined ? {} : { keyPassword: keyPassword.reveal() }),
});

export const sealSecurity = ({ tls, sasl }: OpenSecurity): ConnectionSecurity => ({
  ...(tls === undefined ? {} : { tls: sealTls(tls) }),
  ...(sasl === undefined
    ? {}
    : { sasl: { ...sasl, username: new Secret(sasl.username), password: new Secret(sasl.password) } }),
});

const sealTls = ({ key, keyPassword, ...open }: NonNullable<OpenSecurity['tls']>): TlsSettings => ({
  ...open,
  ...(key === undefined ? {} : { key: new Secret(key) }),
  ...(keyPassword === undefined ? {} : { keyPassword: new Secret(keyPassword) }),
});
