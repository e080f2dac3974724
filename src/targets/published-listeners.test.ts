import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import type { PublishedPort } from './container-facts.ts';
import { leadsToPublished } from './published-listeners.ts';

const PORT = 12091;
const listener = { host: '127.0.0.1', port: PORT };
const here: PublishedPort = { containerPort: 9094, ...listener };
const leads = async (host: string, published: PublishedPort, port = PORT): Promise<boolean> =>
  await leadsToPublished([{ published: [published] }])({ host, port }, listener);

const others = Object.values(networkInterfaces()).flatMap((all) =>
  (all ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
);

test('a name of the address that a port is published at leads to it', async () => {
  expect(await leads('127.0.0.1', here)).toBe(true);
  expect(await leads('localhost', here)).toBe(true);
});

test('another port, an unknown name or another address of this machine does not', async () => {
  expect(await leads('localhost', here, PORT + 1)).toBe(false);
  expect(await leads('no-such-name.invalid', here)).toBe(false);
  for (const address of ['127.0.0.2', '203.0.113.7', ...others]) expect(await leads(address, here)).toBe(false);
});

test('any address of this machine leads to a port that is published on all, and no other one', async () => {
  const everywhere: PublishedPort = { ...here, everywhere: true };
  for (const address of ['127.0.0.2', ...others]) expect(await leads(address, everywhere)).toBe(true);
  expect(await leads('203.0.113.7', everywhere)).toBe(false);
});
