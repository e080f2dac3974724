import { expect, test } from 'vitest';
import { mapProject, type ProxyRow, type ToxiproxyFacts, toxiproxiesOf } from './compose-map.ts';
import type { ContainerFacts, ContainerNetwork, PublishedPort } from './container-facts.ts';
import { limitsOf } from './container-limits.ts';

const network = (machine: number, last: number, ...aliases: string[]): ContainerNetwork => ({
  name: `m${machine}`,
  id: `network-${machine}`,
  address: `10.0.${machine}.${last}`,
  aliases,
});

const container = (name: string, more: Partial<ContainerFacts>): ContainerFacts => ({
  id: `id-of-${name}`,
  name,
  image: 'image',
  imageId: 'sha256:0',
  labels: {},
  environment: {},
  status: 'running',
  pid: 1,
  startedAtMs: 1,
  exitCode: 0,
  networks: [],
  published: [],
  limits: limitsOf({}),
  endpoints: [],
  mounts: [],
  ...more,
});

const node = (role: 'broker' | 'controller', id: number, published: readonly PublishedPort[] = []): ContainerFacts =>
  container(`${role}-${id}`, {
    labels: { 'ackproof.node': `${role}/${id}` },
    networks: [network(id, role === 'broker' ? 2 : 3, `${role}-${id}`)],
    published,
  });

const direct = (id: number): readonly PublishedPort[] => [{ containerPort: 9095, host: '127.0.0.1', port: 11190 + id }];

const nodes = [
  node('broker', 1, direct(1)),
  node('broker', 2, direct(2)),
  node('controller', 1),
  node('controller', 2),
];

const proxy = (name: string, listen: string, upstream: string): ProxyRow => ({
  name,
  listen,
  upstream,
  enabled: true,
  toxics: [],
});

const toxiproxy = (path: ToxiproxyFacts['path'], proxies: readonly ProxyRow[]): ToxiproxyFacts => ({
  container: container(`toxiproxy-${path}`, {
    labels: { 'ackproof.path': path },
    networks: [network(1, 9, 'vb1'), network(2, 9, 'vb1')],
    published: [
      { containerPort: 8474, host: '127.0.0.1', port: 11474 },
      { containerPort: 19291, host: '127.0.0.1', port: 11091 },
      { containerPort: 19292, host: '127.0.0.1', port: 11092 },
    ],
  }),
  path,
  admin: { host: '127.0.0.1', port: 11474 },
  proxies,
});

const client = toxiproxy('client', [
  proxy('ext-b1', '[::]:19291', 'broker-1:9094'),
  proxy('ext-b2', '[::]:19292', 'broker-2:9094'),
]);

test('nodes by labels, client proxies by the container they lead to, other proxies by the network they listen in', () => {
  const map = mapProject(nodes, [
    client,
    toxiproxy('internal', [proxy('m1-b2', '10.0.1.9:19092', 'broker-2:9092')]),
    toxiproxy('controller', [proxy('m2-c1', '10.0.2.9:19191', 'controller-1:9093')]),
  ]);
  expect(map.nodes.map((each) => each.node)).toEqual(['broker/1', 'broker/2', 'controller/1', 'controller/2']);
  expect(map.brokers[1]).toEqual({
    id: 2,
    node: 'broker/2',
    advertised: { host: '127.0.0.1', port: 11092 },
    direct: { host: '127.0.0.1', port: 11192 },
  });
  expect(map.links.slice(2)).toMatchObject([
    {
      path: 'internal',
      node: 'broker/1',
      peer: 'broker/2',
      proxy: 'm1-b2',
      upstream: { host: '10.0.2.2', port: 9092 },
    },
    { path: 'controller', node: 'broker/2', peer: 'controller/1', upstream: { host: '10.0.1.3', port: 9093 } },
  ]);
});

test('a project without any proxy: clients reach a broker at the port it publishes', () => {
  expect(mapProject(nodes, []).brokers).toEqual(
    [1, 2].map((id) => {
      const address = { host: '127.0.0.1', port: 11190 + id };
      return { id, node: `broker/${id}`, advertised: address, direct: address };
    }),
  );
});

test('of several published ports the one that is advertised is asked', () => {
  const metrics: PublishedPort = { containerPort: 9999, host: '127.0.0.1', port: 11999 };
  const telling = (listeners: string, setting = 'KAFKA_ADVERTISED_LISTENERS'): ContainerFacts => ({
    ...node('broker', 1, [metrics, ...direct(1)]),
    environment: { [setting]: listeners },
  });
  const directly = (broker: ContainerFacts) => mapProject([broker], []).brokers[0]?.direct;
  expect(directly(telling('INTERNAL://broker-1:9092,DIRECT://localhost:11191'))).toEqual({
    host: '127.0.0.1',
    port: 11191,
  });
  expect(directly(telling('DIRECT://localhost:11191', 'KAFKA_CFG_ADVERTISED_LISTENERS'))).toMatchObject({
    port: 11191,
  });
  expect(() => directly(telling('INTERNAL://broker-1:9092'))).toThrow(/broker\/1 publishes 2 ports; the one/u);
  expect(() => directly(telling('A://localhost:11191,B://localhost:11999'))).toThrow(/the one for evidence/u);
});

const mapping =
  (...toxiproxies: readonly ToxiproxyFacts[]) =>
  () =>
    mapProject(nodes, toxiproxies);

test('whatever does not map one to one is refused, and by whom is said', () => {
  expect(mapping(toxiproxy('client', client.proxies.slice(1)))).toThrow(
    /No proxy of the client path leads to broker\/1/u,
  );
  expect(mapping(toxiproxy('client', [proxy('ext', '[::]:19291', 'elsewhere:9094')]))).toThrow(
    /ext of toxiproxy-client leads to elsewhere:9094, which is no node of the project/u,
  );
  expect(mapping(client, toxiproxy('internal', [proxy('any', '[::]:19092', 'broker-2:9092')]))).toThrow(
    /listens at \[::\]:19092, where 0 brokers can dial it/u,
  );
  expect(mapping(client, toxiproxy('internal', [proxy('wrong', '10.0.1.9:19092', 'controller-2:9093')]))).toThrow(
    /leads to controller\/2, which is no broker/u,
  );
  const twice = [proxy('one', '10.0.1.9:1', 'broker-2:9092'), proxy('two', '10.0.1.9:2', 'broker-2:9092')];
  expect(mapping(client, toxiproxy('internal', twice))).toThrow(
    /one and two both carry the internal path of broker\/1 to broker\/2/u,
  );
});

test('a proxy that a fault left closed, or with a toxic, is refused', () => {
  const [first, second] = client.proxies as [ProxyRow, ProxyRow];
  expect(mapping(toxiproxy('client', [{ ...first, enabled: false }, second]))).toThrow(
    /ext-b1 .* is closed: a fault was left/u,
  );
  expect(mapping(toxiproxy('client', [first, { ...second, toxics: [{}] }]))).toThrow(/ext-b2 .* has 1 toxics/u);
});

test('labels that cannot be meant are refused', () => {
  const twin = { ...node('broker', 1, direct(1)), id: 'another' };
  expect(() => mapProject([...nodes, twin], [client])).toThrow(/broker\/1 is two containers/u);
  expect(() => mapProject([container('web', {})], [])).toThrow(
    /None of the project's 1 containers is labelled as a broker/u,
  );
  expect(() => mapProject([container('web', { labels: { 'ackproof.node': 'web' } })], [])).toThrow(
    /ackproof.node=web/u,
  );
  expect(() => toxiproxiesOf([container('t', { labels: { 'ackproof.path': 's3' } })])).toThrow(/ackproof.path=s3/u);
  expect(() => toxiproxiesOf([container('t', { labels: { 'ackproof.path': 'client' } })])).toThrow(/control API/u);
  const hidden = mapProject.bind(undefined, [node('broker', 1), ...nodes.slice(1)], [client]);
  expect(hidden).toThrow(/broker\/1 publishes no port/u);
});
