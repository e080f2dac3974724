// Fetches how a cluster wants to be spoken to where a target file only names it: passwords, keys and certificates. What comes out
// lives in memory only; nothing of it is written into a run.
import type { ConnectionSecurity, SaslSettings, TlsSettings } from '../wire/connection-security.ts';
import { Secret } from '../wire/secret.ts';
import type { SecuritySpec } from './external-spec.ts';
import { fetchReference } from './secret-reference.ts';

const maybe = <K extends string, T>(name: K, value: T | undefined): Partial<Record<K, T>> =>
  value === undefined ? {} : ({ [name]: value } as Record<K, T>);

const tlsOf = (spec: NonNullable<SecuritySpec['tls']>, folder: string): TlsSettings => {
  const text = (name: 'ca' | 'certificate' | 'key' | 'keyPassword'): string | undefined => {
    const reference = spec[name];
    return reference === undefined ? undefined : fetchReference(`security.tls.${name}`, reference, folder);
  };
  const secret = (name: 'key' | 'keyPassword'): Secret | undefined => {
    const value = text(name);
    return value === undefined ? undefined : new Secret(value);
  };
  return {
    ...maybe('ca', text('ca')),
    ...maybe('certificate', text('certificate')),
    ...maybe('key', secret('key')),
    ...maybe('keyPassword', secret('keyPassword')),
    ...maybe('serverName', spec.serverName),
  };
};

const saslOf = (spec: NonNullable<SecuritySpec['sasl']>, folder: string): SaslSettings => {
  const { mechanism, username, password } = spec;
  const name = typeof username === 'string' ? username : fetchReference('security.sasl.username', username, folder);
  return {
    mechanism,
    username: new Secret(name),
    password: new Secret(fetchReference('security.sasl.password', password, folder)),
  };
};

/** Everything in hand, or EnvironmentError (exit 69) for the first thing that is not there. Undefined for a plain listener. */
export const resolveSecurity = (spec: SecuritySpec | undefined, folder: string): ConnectionSecurity | undefined => {
  if (spec === undefined || spec.protocol === 'PLAINTEXT') return undefined;
  return {
    ...(spec.protocol.endsWith('SSL') ? { tls: tlsOf(spec.tls ?? {}, folder) } : {}),
    ...(spec.sasl === undefined ? {} : { sasl: saslOf(spec.sasl, folder) }),
  };
};
