import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeSecurity, externalSpecSchema, type SecuritySpec } from './external-spec.ts';
import { resolveSecurity } from './resolve-security.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-security-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const parse = (security: unknown) =>
  externalSpecSchema.safeParse({ apiVersion: 'ackproof/v1', kind: 'external', bootstrapServers: ['a:1'], security });
const problems = (security: unknown): readonly string[] => {
  const parsed = parse(security);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.slice(1).join('.')}: ${message}`);
};
const SASL = { mechanism: 'SCRAM-SHA-512', username: 'drill', password: { env: 'DRILL_PASSWORD' } };

test('a file with a line break at its end and a variable give the values they hold', () => {
  writeFileSync(join(folder, 'password'), 'one-line\n');
  vi.stubEnv('DRILL_USER', 'somebody');
  const spec: SecuritySpec = {
    protocol: 'SASL_PLAINTEXT',
    sasl: { mechanism: 'PLAIN', username: { env: 'DRILL_USER' }, password: { file: 'password' } },
  };
  const security = resolveSecurity(spec, folder);
  expect(security?.tls).toBeUndefined();
  expect(security?.sasl?.username.reveal()).toBe('somebody');
  expect(security?.sasl?.password.reveal()).toBe('one-line');
  expect(JSON.stringify(security)).not.toMatch(/somebody|one-line/);
  expect(resolveSecurity({ protocol: 'SSL' }, folder)).toEqual({ tls: {} });
  expect(resolveSecurity({ protocol: 'PLAINTEXT' }, folder)).toBeUndefined();
});

test('what is not there ends in one sentence that names it', () => {
  const withPassword = (password: { env: string } | { file: string }): SecuritySpec => ({
    protocol: 'SASL_SSL',
    sasl: { mechanism: 'PLAIN', username: 'a', password },
  });
  expect(() => resolveSecurity(withPassword({ env: 'ACKPROOF_NOT_SET' }), folder)).toThrow(
    'security.sasl.password is not there: the environment variable ACKPROOF_NOT_SET is not set.',
  );
  expect(() => resolveSecurity(withPassword({ file: 'none' }), folder)).toThrow(/the file none cannot be read/);
  writeFileSync(join(folder, 'empty'), '\n');
  expect(() => resolveSecurity(withPassword({ file: 'empty' }), folder)).toThrow(/the file empty is empty/);
});

test('a secret in the file itself is refused without being repeated', () => {
  for (const password of ['hunter2', 12, { value: 'hunter2' }]) {
    const told = problems({ protocol: 'SASL_SSL', sasl: { ...SASL, password } }).join('\n');
    expect(told).toMatch(/^sasl\.password: this is never written here\. Name an environment variable/);
    expect(told).not.toContain('hunter2');
  }
  const variable = problems({ protocol: 'SASL_SSL', sasl: { ...SASL, password: { env: 'no name hunter2' } } });
  expect(variable).toEqual([
    'sasl.password.env: the name of an environment variable is letters, digits and _, like KAFKA_PASSWORD.',
  ]);
  const tls = { certificate: { file: 'a' }, key: '-----BEGIN PRIVATE KEY-----' };
  expect(problems({ protocol: 'SSL', tls }).join('\n')).toMatch(/^tls\.key: this is never written here/);
});

test('a mechanism that we do not know is named in one sentence with those that we do', () => {
  expect(problems({ protocol: 'SASL_SSL', sasl: { ...SASL, mechanism: 'OAUTHBEARER' } })).toEqual([
    'sasl.mechanism: ackproof cannot log in by "OAUTHBEARER". Use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, on a listener that takes one of them.',
  ]);
});

test('a protocol and what is said beside it must fit', () => {
  expect(problems({ protocol: 'SASL_SSL' })).toEqual([': this protocol needs sasl: {mechanism, username, password}.']);
  expect(problems({ protocol: 'SSL', sasl: SASL })).toEqual([': sasl needs the protocol SASL_SSL or SASL_PLAINTEXT.']);
  expect(problems({ protocol: 'SASL_PLAINTEXT', sasl: SASL, tls: {} })).toEqual([
    ': tls needs the protocol SSL or SASL_SSL.',
  ]);
  expect(problems({ protocol: 'SSL', tls: { certificate: { file: 'a' } } })).toEqual([
    'tls: a certificate and its key are named together.',
  ]);
  expect(problems({ protocol: 'SASL_SSL', sasl: SASL })).toEqual([]);
});

test('what is told of it has no secret in it', () => {
  expect(describeSecurity(undefined)).toBe('PLAINTEXT');
  const parsed = parse({ protocol: 'SASL_SSL', sasl: SASL });
  expect(parsed.success && describeSecurity(parsed.data.security)).toBe('SASL_SSL by SCRAM-SHA-512');
});
