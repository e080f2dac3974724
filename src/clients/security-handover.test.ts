import { expect, test } from 'vitest';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { Secret } from '../wire/secret.ts';
import { openSecurity, sealSecurity } from './security-handover.ts';

const full: ConnectionSecurity = {
  tls: {
    ca: 'CA',
    certificate: 'CERT',
    key: new Secret('KEY!'),
    keyPassword: new Secret('PASS'),
    serverName: 'broker',
  },
  sasl: { mechanism: 'SCRAM-SHA-512', username: new Secret('anna'), password: new Secret('hush') },
};

test('secrets survive the way to another thread, and are secrets again there', () => {
  const arrived = sealSecurity(structuredClone(openSecurity(full)));
  expect(openSecurity(arrived)).toEqual(openSecurity(full));
  expect(arrived.sasl?.password.reveal()).toBe('hush');
  expect(JSON.stringify(arrived)).not.toMatch(/hush|anna|KEY!|PASS/);
});

test('what is not there does not come to be on the way', () => {
  expect(sealSecurity(openSecurity({}))).toEqual({});
  expect(sealSecurity(openSecurity({ tls: {} }))).toEqual({ tls: {} });
});
