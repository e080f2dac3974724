import { describe, expect, it } from 'vitest';
import { type EmbeddedLayout, planEmbedded, portsNeeded } from './embedded-layout.ts';
import type { Link, PathName } from './target.ts';
import { type EmbeddedSpec, embeddedSpecSchema } from './target-spec.ts';

const specOf = (brokers: number, wal = 's3'): EmbeddedSpec =>
  embeddedSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', brokers, wal });

const portsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => 21_000 + index);

const layoutOf = (brokers: number, wal = 's3', missing = 0): EmbeddedLayout => {
  const spec = specOf(brokers, wal);
  return planEmbedded({
    spec,
    ports: portsOf(portsNeeded(spec) - missing),
    clusterId: 'c',
    runDirectory: '/run',
    defects: ['no-fencing'],
  });
};

const linksOf = (layout: EmbeddedLayout, path: PathName): readonly Link[] =>
  layout.links.filter((link) => link.path === path);

interface PlannedListener {
  readonly name: string;
  readonly port: number;
  readonly upstream: { readonly port: number };
}

const listenersOf = ({ storeProxy }: EmbeddedLayout): readonly PlannedListener[] =>
  storeProxy.config['listeners'] as readonly PlannedListener[];

const storePortBehind = (layout: EmbeddedLayout, proxy: string): number | undefined =>
  listenersOf(layout).find(({ name }) => name === proxy)?.upstream.port;

describe('the embedded layout', () => {
  it('needs exactly the ports it says it needs', () => {
    for (const [brokers, wal] of [
      [1, 's3'],
      [3, 's3'],
      [5, 'block'],
    ] as const) {
      expect(() => layoutOf(brokers, wal)).not.toThrow();
      expect(() => layoutOf(brokers, wal, 1)).toThrow(/more ports/);
    }
  });

  it('gives no two listeners the same port', () => {
    const layout = layoutOf(3);
    const listens = [
      ...layout.links.map((link) => link.listen.port),
      ...layout.brokerNodes.map((broker) => broker.direct.port),
      ...layout.brokerAdmins.map((admin) => admin.port),
      layout.storeListeners.data.port,
      layout.storeListeners.wal.port,
      layout.storeListeners.direct.port,
      layout.storeListeners.admin.port,
      ...new Set(layout.links.map((link) => link.admin.port)),
      ...layout.links.filter((link) => link.path !== 'controller').map((link) => link.upstream.port),
      layout.storeEndpoints[0]!.admin.port,
      linksOf(layout, 'controller')[0]!.upstream.port,
    ];
    expect(listens).toHaveLength(portsNeeded(specOf(3)));
    expect(new Set(listens).size).toBe(listens.length);
  });

  it('has one proxy a broker on every path, and one for the controller to its store', () => {
    const layout = layoutOf(3);
    expect(linksOf(layout, 'client').map((link) => link.node)).toEqual(['broker/1', 'broker/2', 'broker/3']);
    expect(linksOf(layout, 'controller')).toHaveLength(3);
    expect(linksOf(layout, 's3-data')).toHaveLength(3);
    expect(linksOf(layout, 's3-wal').map((link) => link.node)).toContain('controller/1');
    expect(new Set(layout.links.map((link) => link.proxy)).size).toBe(layout.links.length);
  });

  it('has one proxy process a path, so that one wedged proxy stays in its path', () => {
    const admins = new Map(layoutOf(3).links.map((link) => [link.path, link.admin.port]));
    expect(new Set(admins.values()).size).toBe(4);
  });

  it('tells brokers nothing but proxied addresses to dial, and clients nothing but proxies', () => {
    const layout = layoutOf(3);
    const proxied = new Set(layout.links.map((link) => link.listen.port));
    for (const { config } of layout.brokers) {
      const { stores, controller, client } = config as {
        stores: Record<'meta' | 'wal' | 'data', { port: number }>;
        controller: { port: number };
        client: { advertisedPort: number };
      };
      const dialled = [stores.meta.port, stores.wal.port, stores.data.port, controller.port, client.advertisedPort];
      expect(dialled.every((port) => proxied.has(port))).toBe(true);
    }
    expect(layout.brokerNodes.every((broker) => proxied.has(broker.advertised.port))).toBe(true);
    expect(layout.brokerNodes.some((broker) => proxied.has(broker.direct.port))).toBe(false);
  });

  it('keeps the fence on the path of the write-ahead log, so that losing the data path stops no acknowledgement', () => {
    const layout = layoutOf(1);
    const { stores } = layout.brokers[0]!.config as { stores: Record<'meta' | 'wal' | 'data', { port: number }> };
    expect(stores.meta).toEqual(stores.wal);
    expect(stores.data).not.toEqual(stores.wal);
    expect(storePortBehind(layout, 's3-wal-broker-1')).toBe(layout.storeListeners.wal.port);
    expect(storePortBehind(layout, 's3-data-broker-1')).toBe(layout.storeListeners.data.port);
  });

  it('puts a listener of the S3 fault proxy behind each link to the store, which is what its node dials', () => {
    for (const wal of ['s3', 'block']) {
      const layout = layoutOf(3, wal);
      const links = layout.links.filter(({ path }) => path.startsWith('s3-'));
      expect(layout.storeEndpoints.map(({ path, node, listener, listen }) => [path, node, listener, listen])).toEqual(
        links.map(({ path, node, proxy, listen }) => [path, node, proxy, listen]),
      );
      expect(listenersOf(layout).map(({ name, port }) => [name, port])).toEqual(
        links.map(({ proxy, upstream }) => [proxy, upstream.port]),
      );
    }
  });

  it.each(['block', 'nfs'])(
    'reaches a write-ahead log of kind %s by a path of its own, and all else by the data path',
    (wal) => {
      const layout = layoutOf(3, wal);
      const { stores } = layout.brokers[0]!.config as { stores: Record<'meta' | 'wal' | 'data', { port: number }> };
      const volume = layout.volume?.config as { port: number } | undefined;
      expect(stores.meta).toEqual(stores.data);
      expect(linksOf(layout, 'wal').map((link) => link.upstream.port)).toEqual(Array(3).fill(volume?.port));
      expect(linksOf(layout, 'wal')[0]?.listen).toEqual(stores.wal);
      expect(linksOf(layout, 's3-data').map((link) => link.node)).toContain('controller/1');
      expect(linksOf(layout, 's3-wal')).toEqual([]);
      expect(layoutOf(3).volume).toBeUndefined();
    },
  );

  it('hands the defects to the brokers only', () => {
    const layout = layoutOf(2);
    expect(layout.brokers.every(({ config }) => JSON.stringify(config['defects']) === '["no-fencing"]')).toBe(true);
    expect(layout.controller.config['defects']).toBeUndefined();
  });

  it('makes every program end with the process that started it', () => {
    const layout = layoutOf(2);
    const all = [layout.store, ...layout.proxies, layout.controller, ...layout.brokers];
    expect(all.every(({ config }) => config['exitOnStdinClose'] === true)).toBe(true);
  });
});
