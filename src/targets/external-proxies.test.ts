import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type ListedProxy, listProxies, mapProxies, type ToxiproxyListing } from './external-proxies.ts';
import type { ServedBroker } from './served-addresses.ts';

const broker = (id: number, host: string, port: number): ServedBroker => ({ id, address: { host, port } });
const proxy = (name: string, listen: string, more: Partial<ListedProxy> = {}): ListedProxy => ({
  name,
  listen,
  upstream: `${name}.internal:9092`,
  enabled: true,
  toxics: [],
  ...more,
});
const at = (host: string, ...proxies: ListedProxy[]): ToxiproxyListing => ({ admin: { host, port: 8474 }, proxies });
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'kafka.example.com': ['10.0.0.1'],
  toxi: ['10.0.0.1', '::1'],
  other: ['10.0.0.2'],
};
const map = async (brokers: readonly ServedBroker[], ...listings: ToxiproxyListing[]) =>
  await mapProxies(brokers, listings, async (host) => await Promise.resolve(HOSTS[host] ?? []));

test('each broker is found behind the proxy at the address that it advertises, wherever that listens on its machine', async () => {
  const brokers = [broker(1, 'kafka.example.com', 29091), broker(2, 'toxi', 29092), broker(3, '10.0.0.1', 29093)];
  const links = await map(
    brokers,
    at('toxi', proxy('b1', '[::]:29091'), proxy('b2', ':29092'), proxy('spare', '[::]:29099')),
    at('other', proxy('b3', '10.0.0.1:29093'), proxy('strange', '[::]:29091')),
  );
  expect(links.map(({ node, proxy: name, admin, listen }) => [node, name, admin.host, listen.port])).toEqual([
    ['broker/1', 'b1', 'toxi', 29091],
    ['broker/2', 'b2', 'toxi', 29092],
    ['broker/3', 'b3', 'other', 29093],
  ]);
  expect(links[0]?.upstream).toEqual({ host: 'b1.internal', port: 9092 });
});

test('a broker without a proxy, with two of them, or with one that it shares is refused by its id and address', async () => {
  await expect(map([broker(1, 'other', 9092)], at('toxi', proxy('b1', '[::]:9092')))).rejects.toThrow(
    'Broker 1 tells its clients to use other:9092, and no proxy listens there (b1 at [::]:9092).',
  );
  await expect(map([broker(1, 'other', 9092)], at('toxi'))).rejects.toThrow('(there is none)');
  const both = [at('toxi', proxy('b1', '[::]:9092')), at('kafka.example.com', proxy('b2', '[::]:9092'))];
  await expect(map([broker(1, 'toxi', 9092)], ...both)).rejects.toThrow(
    'where b1 of toxi:8474 and b2 of kafka.example.com:8474 both listen.',
  );
  const shared = [broker(1, 'toxi', 9092), broker(2, 'kafka.example.com', 9092)];
  await expect(map(shared, at('toxi', proxy('b1', '[::]:9092')))).rejects.toThrow(
    'The proxy "b1" would stand before broker 1 and broker 2.',
  );
});

test('a proxy that cannot be used as it stands is refused; toxics of others are theirs', async () => {
  const one = [broker(1, 'toxi', 9092)];
  const mapped = async (found: ListedProxy) => await map(one, at('toxi', found));
  await expect(mapped(proxy('Kafka_1', ':9092'))).rejects.toThrow('cannot be driven by that name');
  await expect(mapped(proxy('b1', ':9092', { enabled: false }))).rejects.toThrow('before broker 1, is closed.');
  const left = { toxics: [{ name: 'ackproof-run-1-latency' }] };
  await expect(mapped(proxy('b1', ':9092', left))).rejects.toMatchObject({ code: 'TARGET_FAULT_LEFT' });
  await expect(mapped(proxy('b1', ':9092', { toxics: [{ name: 'slow' }] }))).resolves.toHaveLength(1);
});

test('whoever answers at the control API and is no Toxiproxy is told so, and so is nobody', async () => {
  let text = '';
  const server = createServer((_, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const admin = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const list = async () => await listProxies(admin, AbortSignal.timeout(10_000));
  text = JSON.stringify({ b1: proxy('b1', ':9092') });
  expect((await list()).proxies.map(({ name }) => name)).toEqual(['b1']);
  for (const other of ['{"version":"2"}', '<html>', '"x"', '{"a":null}']) {
    text = other;
    await expect(list()).rejects.toMatchObject({ code: 'TARGET_TOXIPROXY_UNREACHABLE' });
  }
  await new Promise((resolve) => server.close(resolve));
  await expect(list()).rejects.toThrow(
    `The Toxiproxy at 127.0.0.1:${admin.port} does not list its proxies: GET /proxies`,
  );
});
