import { describe, expect, it } from 'vitest';
import { kafkaPortsNeeded, planKafka } from './kafka-layout.ts';
import { type ProcessSpec, processSpecSchema } from './target-spec.ts';

const specOf = (more: Readonly<Record<string, unknown>> = {}): ProcessSpec =>
  processSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process', ...more });

const layoutOf = (spec: ProcessSpec) => {
  const ports = Array.from({ length: kafkaPortsNeeded(spec) }, (_, index) => 20_000 + index);
  return planKafka({ spec, ports, runDirectory: '/run' });
};

describe('the layout of a cluster of processes', () => {
  const spec = specOf();
  const layout = layoutOf(spec);

  it('uses each port it asks for once, and asks for no more', () => {
    const { brokers, controllers, proxies, links } = layout;
    const listeners = [...brokers, ...controllers].flatMap(({ properties }) => {
      const written = properties['listeners'] ?? '';
      return [...written.matchAll(/:(\d+)/g)].map((match) => Number(match[1]));
    });
    const used = [...listeners, ...proxies.map(({ admin }) => admin.port), ...links.map(({ listen }) => listen.port)];
    expect(new Set(used).size).toBe(kafkaPortsNeeded(spec));
    const addresses = links.map(({ listen }) => `${listen.host}:${listen.port}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('has a proxy of its own on every directed path', () => {
    const paths = layout.links.filter(({ peer }) => peer !== undefined).map(({ node, peer }) => `${node} > ${peer}`);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toContain('broker/1 > broker/2');
    expect(paths).toContain('broker/2 > broker/1');
    expect(paths).toContain('broker/3 > controller/1');
    expect(paths).toHaveLength(9 + 9);
    expect(layout.links.filter(({ path }) => path === 'client').map(({ proxy }) => proxy)).toEqual([
      'ext-b1',
      'ext-b2',
      'ext-b3',
    ]);
  });

  it('leads every name that a machine dials to its own proxies', () => {
    for (const [index, { hosts, properties }] of layout.brokers.entries()) {
      const machine = `127.0.${index + 1}.1`;
      const named = [...hosts.slice(1)].map((line) => line.split(' '));
      expect(named.every(([address]) => address === machine)).toBe(true);
      const voters = (properties['controller.quorum.voters'] ?? '')
        .split(',')
        .map((voter) => /@(\w+):(\d+)/.exec(voter));
      for (const voter of voters) {
        expect(named.map(([, name]) => name)).toContain(voter?.[1]);
        const link = layout.links.find(
          ({ path, listen }) => path === 'controller' && listen.host === machine && listen.port === Number(voter?.[2]),
        );
        expect(link?.node).toBe(`broker/${index + 1}`);
      }
    }
  });

  it('tells clients of proxies only, and has a listener for evidence that is none', () => {
    const listening = new Set(layout.links.map(({ listen }) => `${listen.host}:${listen.port}`));
    for (const { advertised, direct } of layout.brokerNodes) {
      expect(listening).toContain(`${advertised.host}:${advertised.port}`);
      expect(listening).not.toContain(`${direct.host}:${direct.port}`);
    }
  });

  it('lets settings of the target file have the last word, on every node', () => {
    const { brokers, controllers } = layoutOf(specOf({ settings: { 'num.io.threads': '7' } }));
    expect([...brokers, ...controllers].map(({ properties }) => properties['num.io.threads'])).toEqual(
      Array.from({ length: 6 }, () => '7'),
    );
  });

  it('knows machines with a broker only and with a controller only', () => {
    const { links } = layoutOf(specOf({ brokers: 3, controllers: 1 }));
    expect(links.filter(({ path }) => path === 'controller').map(({ node, peer }) => `${node} > ${peer}`)).toEqual([
      'broker/1 > controller/1',
      'broker/2 > controller/1',
      'broker/3 > controller/1',
    ]);
    const more = layoutOf(specOf({ brokers: 1, controllers: 3 })).links;
    expect(more.filter(({ node }) => node.startsWith('controller/')).map(({ node }) => node)).toContain('controller/3');
  });
});
