import { describe, expect, it } from 'vitest';
import { kafkaPortsNeeded, planKafka } from './kafka-layout.ts';
import { processSpecSchema } from './target-spec.ts';
import { describeSegmentKey } from './tiered-layout.ts';

const layoutOf = (tieredStorage: unknown, more: Readonly<Record<string, unknown>> = {}) => {
  const tiers = tieredStorage === undefined ? {} : { tieredStorage };
  const spec = processSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process', ...tiers, ...more });
  const ports = Array.from({ length: kafkaPortsNeeded(spec) }, (_, index) => 20_000 + index);
  return { spec, ports, layout: planKafka({ spec, ports, runDirectory: '/run' }) };
};

describe('the layout of a cluster with tiers', () => {
  it('has a proxy of each broker’s own before the bucket, and a spare broker has one as well', () => {
    const { layout } = layoutOf({ manager: 's3' }, { spareBrokers: 1 });
    const links = layout.links.filter(({ path }) => path === 's3-data');
    expect(links.map(({ node, proxy }) => [node, proxy])).toEqual([
      ['broker/1', 's3-b1'],
      ['broker/2', 's3-b2'],
      ['broker/3', 's3-b3'],
    ]);
    const told = layout.brokers.map(({ properties }) => properties['rsm.config.s3.endpoint']);
    const listens = links.map(({ listen: { host, port } }) => `http://${host}:${port}`);
    expect(told.slice(0, 3)).toEqual(listens);
    expect(new Set(told).size).toBe(4);
    const data = layout.storePath?.own?.data;
    expect(links.every(({ upstream, speaks }) => upstream.port === data?.port && speaks === 's3')).toBe(true);
    expect(layout.proxies.map(({ path }) => path)).toContain('s3-data');
  });

  it('uses each port it asks for once', () => {
    const store = { endpoint: 'http://127.0.0.1:7070', bucket: 'b', accessKey: { env: 'K' }, secretKey: { env: 'S' } };
    for (const tiers of [{ manager: 's3' }, { manager: 's3', store }, { manager: 'local' }]) {
      const { layout, ports } = layoutOf(tiers);
      const { own } = layout.storePath ?? {};
      const used = [
        ...[...layout.brokers, ...layout.controllers].flatMap(({ properties }) =>
          [...(properties['listeners'] ?? '').matchAll(/:(\d+)/g)].map((match) => Number(match[1])),
        ),
        ...layout.proxies.map(({ admin }) => admin.port),
        ...layout.links.map(({ listen }) => listen.port),
        ...(own === undefined ? [] : [own.data.port, own.direct.port, own.admin.port]),
      ];
      expect([...new Set(used)].sort()).toEqual(ports);
    }
  });

  it('leads to somebody’s bucket without a canary that signs nothing, and writes no key down', () => {
    const store = {
      endpoint: 'http://127.0.0.1:7070/',
      bucket: 'b',
      prefix: 'p/',
      accessKey: { env: 'K' },
      secretKey: { env: 'S' },
    };
    const { layout } = layoutOf({ manager: 's3', store });
    const [link] = layout.links.filter(({ path }) => path === 's3-data');
    expect(link).toMatchObject({ speaks: 'http', upstream: { host: '127.0.0.1', port: 7070 } });
    expect(layout.brokers[0]?.properties).toMatchObject({ 'rsm.config.s3.bucket': 'b', 'rsm.config.s3.prefix': 'p/' });
    expect(JSON.stringify(layout)).not.toMatch(/env/);
  });

  it('tells controllers that topics may have tiers, and nobody anything where there are none', () => {
    const enabled = 'remote.log.storage.system.enable';
    const { layout } = layoutOf({ manager: 'local' });
    for (const { properties } of [...layout.controllers, ...layout.brokers]) expect(properties[enabled]).toBe('true');
    const folders = new Set(layout.brokers.map(({ properties }) => properties['rsm.config.dir']));
    expect([...folders]).toEqual(['/run/kafka/tiers']);
    const plain = layoutOf(undefined).layout;
    for (const { properties } of [...plain.controllers, ...plain.brokers]) {
      expect(Object.keys(properties).filter((name) => /remote|rsm|rlmm/.test(name))).toEqual([]);
    }
  });

  it('lets the target file have the last word', () => {
    const { layout } = layoutOf({ manager: 's3' }, { settings: { 'remote.log.manager.task.interval.ms': '5000' } });
    expect(layout.brokers[0]?.properties['remote.log.manager.task.interval.ms']).toBe('5000');
  });
});

describe('the name of a segment in the bucket', () => {
  const key = 'p/AAAAAAAAAAAAAAAAAAAAAQ/2/00000000000000000040-00000000000000000100-AAAAAAAAAAAAAAAAAAAAAg.log';
  const describeKey = describeSegmentKey('p/');

  it('says which records it holds', () => {
    expect(describeKey(key)).toEqual({
      topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      partition: 2,
      baseOffset: 40,
      endOffset: 100,
    });
  });

  it.each([key.replace('.log', '.index'), key.slice(2), `x/${key}`, `${key}.tmp`, 'p/'])('is none in %s', (other) => {
    expect(describeKey(other)).toBeUndefined();
  });
});
