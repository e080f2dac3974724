// Fetches what a target file only names: passwords, keys and certificates, from environment variables and files. What comes out
// lives in memory only; nothing of it is written into a run.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { environmentVariable } from '../environment.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import type { ConnectionSecurity, SaslSettings, TlsSettings } from '../wire/connection-security.ts';
import { Secret } from '../wire/secret.ts';
import type { SecretReference, SecuritySpec } from './target-spec.ts';

const missing = (what: string, why: string, hint: string, cause?: unknown): EnvironmentError =>
  new EnvironmentError('TARGET_SECRET_MISSING', `${what} is not there: ${why}.`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });

/** The text behind a reference; `what` names it as the target file does. */
const fetchReference = (what: string, reference: SecretReference, folder: string): string => {
  if ('env' in reference) {
    const value = environmentVariable(reference.env);
    if (value !== undefined) return value;
    throw missing(what, `the environment variable ${reference.env} is not set`, 'Set it and run again.');
  }
  const file = resolve(folder, reference.file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw missing(
      what,
      `the file ${reference.file} cannot be read (${describeError(cause)})`,
      'Correct its name or its rights.',
    );
  }
  // An editor ends a file with a line break, which is no part of a password; PEM does not mind.
  const value = text.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw missing(what, `the file ${reference.file} is empty`, 'Write the value into it.');
};

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
