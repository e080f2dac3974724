import { describe, expect } from 'vitest';
import { altered } from '../../test/faults/model-containers.ts';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { edgeNames, runUntil, specOf, WHOLE_LIFE } from '../../test/faults/run-on.ts';
import { systemClock } from '../clock.ts';
import type { ContainerControl, NetworkEndpoint } from '../targets/container-control.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { JournalEdge } from './fault.ts';
import { Strikes } from './strikes.ts';

describe('network-partition', () => {
  modelTest.for([
    { direction: 'outgoing', cut: ['internal-2-1', 'internal-2-3'] },
    { direction: 'incoming', cut: ['internal-1-2', 'internal-3-2'] },
  ])('$direction cuts $cut, and the ways back stay open', async ({ direction, cut }, { target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'network-partition',
      victim: { broker: 2 },
      params: { direction, from: 'brokers' },
      duration: '1m',
    });
    expect(outcome.reason).toBeUndefined();
    const changed = samples.filter(({ kind, seen }) => kind === 'mechanism' && seen.includes('reads back timeout'));
    expect(new Set(changed.map(({ seen }) => seen.split(' ')[0]))).toEqual(new Set(cut));
    const silent = samples.filter(({ kind, holds, seen }) => kind === 'effect' && holds && seen.includes('timeout'));
    expect(silent.length).toBeGreaterThan(0);
  });

  modelTest('has a control that neither comes from the victim nor leads to it', async ({ target }) => {
    const { samples } = await runUntil(target, {
      fault: 'network-partition',
      victim: { broker: 1 },
      params: { from: 'brokers' },
      duration: '1m',
    });
    const controls = new Set(samples.filter(({ kind }) => kind === 'control').map(({ seen }) => seen.split(':')[0]));
    expect([...controls].filter((name) => name?.startsWith('internal'))).toEqual(['internal of broker/2']);
  });
});

const cutsOf = (target: ModelTarget): readonly string[] => target.cluster.acts.filter((act) => act.startsWith('cut '));
const byPackets = { fault: 'network-partition', victim: { broker: 2 }, backend: 'netns' };
const fromBrokers = { ...byPackets, params: { from: 'brokers' } };

const addressOf = (node: string): string => `10.0.0.${node.split('/')[1] ?? ''}`;
const toldDirectly = (to: string) => [{ written: `${to}:9092`, hosts: [addressOf(to)], port: 9092 }];
const endpointAt = (address: string): NetworkEndpoint => ({
  networkId: 'n',
  network: 'n',
  aliases: [],
  links: [],
  driverOptions: {},
  fixedAddresses: {},
  address,
  macAddress: '',
  sinceMs: 1,
});

/** Where nodes dial each other in a network that all are in, and only clients come through proxies. */
const withoutProxies = (target: ModelTarget, changes: Partial<ContainerControl> = {}): StartedTarget => {
  const { links, containers } = target.can;
  const can = {
    ...target.can,
    links: { all: links.all.filter(({ path }) => path === 'client') },
    containers: altered(containers, {
      endpoints: async (node) => await Promise.resolve([endpointAt(addressOf(node))]),
      toldToDial: async (_, to) => await Promise.resolve(toldDirectly(to)),
      ...changes,
    }),
  };
  return { ...target, can };
};

describe('network-partition between named nodes', () => {
  modelTest('cuts the two off from each other, and from nobody else', async ({ target }) => {
    const written = { fault: 'network-partition', victim: { node: 'broker/1' }, params: { from: ['broker/3'] } };
    const { outcome, samples } = await runUntil(target, written);
    expect(outcome.reason).toBeUndefined();
    const changed = samples.filter(({ kind, seen }) => kind === 'mechanism' && seen.includes('reads back timeout'));
    expect(new Set(changed.map(({ seen }) => seen.split(' ')[0]))).toEqual(new Set(['internal-1-3', 'internal-3-1']));
  });

  modelTest.for([
    { params: { from: ['broker/9'] }, victim: { broker: 1 }, why: /no node broker\/9; the target has broker\/1/ },
    { params: {}, victim: { node: 'controller/7' }, why: /no node controller\/7/ },
  ])('refuses a node that is not there: $victim from $params', async ({ params, victim, why }, { target }) => {
    const { outcome } = await runUntil(target, { fault: 'network-partition', victim, params }, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(why);
  });
});

describe('network-partition by proxies', () => {
  // Red before: it cut what it found and told of all.
  modelTest('refuses where one of the connections has no proxy', async ({ target }) => {
    const all = target.can.links.all.filter(({ proxy }) => proxy !== 'internal-2-3');
    const partly: StartedTarget = { ...target, can: { ...target.can, links: { all } } };
    const written = { ...fromBrokers, backend: 'toxiproxy' };
    const { outcome } = await runUntil(partly, written, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(/No proxy lies between broker\/2 and broker\/3/);
  });

  // Red before: the proxies were cut and the tries through them timed out, while Kafka dialled past them.
  modelTest.for([
    { to: 'broker/3', told: { hosts: ['10.0.0.3'], port: 9092 }, at: /broker\/2 dials broker\/3 at 10\.0\.0\.3:9092 / },
    {
      to: 'broker/2',
      told: { hosts: [], port: 9092 },
      at: /broker\/\d dials broker\/2 at told:9092, which means nothing/,
    },
  ])('refuses where Kafka dials past them: $at', async ({ to, told, at }, { target }) => {
    const byProxy = target.cluster.containers.tells;
    target.cluster.containers.tells = (from, peer) =>
      peer === to ? [{ written: 'told:9092', ...told }] : byProxy(from, peer);
    const written = { ...fromBrokers, backend: 'toxiproxy' };
    const { outcome, edges } = await runUntil(target, written, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(at);
    expect(edges.map(({ edge }) => edge)).not.toContain('applied');
  });

  // Red before: another fault took such a broker for a control, which a partition had cut off.
  modelTest('has whoever dials through the same proxies in hand as well', async ({ target }) => {
    const all = target.can.links.all.map((link) =>
      link.proxy === 'internal-1-2' ? { ...link, shared: ['broker/3'] } : link,
    );
    const shared: StartedTarget = { ...target, can: { ...target.can, links: { all } } };
    const strikes = new Strikes(systemClock);
    let struck: readonly string[] = [];
    const onEdge = ({ edge }: JournalEdge): void => {
      if (edge === 'confirmed') struck = [...strikes.byOthers('process-kill-2', systemClock.now())];
    };
    const written = { fault: 'network-partition', backend: 'toxiproxy', victim: { broker: 1 } };
    const params = { direction: 'outgoing', from: ['broker/2'] };
    const { outcome } = await runUntil(shared, { ...written, params }, {}, { onEdge, strikes });
    expect(outcome.victims).toEqual(['broker/1']);
    expect(struck).toEqual(['broker/1', 'broker/3']);
  });
});

describe('network-partition of a share of the brokers', () => {
  modelTest.for([
    { share: 'minority', count: 1 },
    { share: 'majority', count: 2 },
  ])('hits a $share of three', async ({ share, count }, { target }) => {
    const written = { fault: 'network-partition', victim: { brokers: share }, params: { from: 'brokers' } };
    const { outcome } = await runUntil(target, written);
    expect(outcome.reason).toBeUndefined();
    expect(outcome.victims).toHaveLength(count);
    expect(outcome.chosen).toContain(`a ${share} of the brokers, by the seed`);
  });
});

describe('network-partition by packet filters', () => {
  modelTest.for([
    { direction: 'outgoing', cut: ['cut broker/2 off from broker/1, broker/3'] },
    { direction: 'incoming', cut: ['cut broker/1 off from broker/2', 'cut broker/3 off from broker/2'] },
  ])('has rules where it is dialled: $direction', async ({ direction, cut }, { target }) => {
    const seen = await runUntil(target, { ...byPackets, params: { direction, from: 'brokers' } });
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
    expect([...cutsOf(target)].sort()).toEqual(cut);
    const { containers } = target.can;
    for (const node of containers.nodes) expect(await containers.cutLeft(node, {} as never)).toEqual([]);
  });

  modelTest('is proved by packets that are dropped of each peer, at each node that dials', async ({ target }) => {
    const { samples } = await runUntil(target, fromBrokers);
    const proofs = samples.filter(({ kind, seen }) => kind === 'mechanism' && seen.includes(': dropped '));
    expect(new Set(proofs.map(({ seen }) => seen.replace(/\d+ packets/u, 'n').replace(/, no more.*/u, '')))).toEqual(
      new Set([
        'broker/1: dropped n to and from broker/2',
        'broker/2: dropped n to and from broker/1',
        'broker/2: dropped n to and from broker/3',
        'broker/3: dropped n to and from broker/2',
      ]),
    );
  });

  modelTest(
    'has controls: a third node that each still dials, and the victim as seen from here',
    async ({ target }) => {
      const { samples } = await runUntil(target, { ...byPackets, params: { from: ['broker/3'] } });
      const controls = new Set(samples.filter(({ kind }) => kind === 'control').map(({ seen }) => seen.split(':')[0]));
      expect([...controls].sort()).toEqual(
        expect.arrayContaining(['broker/2 dials broker/1', 'broker/2 directly', 'broker/3 dials broker/1']),
      );
    },
  );

  modelTest('is chosen by itself where no proxy lies between, at the other’s own address', async ({ target }) => {
    const seen = await runUntil(withoutProxies(target), { ...fromBrokers, backend: 'auto' });
    expect(seen.outcome.reason).toBeUndefined();
    const undo = seen.edges[0]?.undo?.steps.flatMap((step) => (step.do === 'end-cut' ? [step.cut.peers] : []));
    expect(undo?.[0]).toEqual([
      { node: 'broker/1', places: [{ host: '10.0.0.1', ports: [9092] }] },
      { node: 'broker/3', places: [{ host: '10.0.0.3', ports: [9092] }] },
    ]);
  });

  // Red before: its own tries at those addresses were dropped and timed out, while replication went on by another way.
  modelTest.for([
    {
      told: [{ written: 'host.docker.internal:11092', hosts: ['172.17.0.1'], port: 11_092 }],
      at: /172\.17\.0\.1:11092/,
    },
    { told: [{ written: 'toxiproxy:19292', hosts: ['10.0.0.9'], port: 19_292 }], at: /10\.0\.0\.9:19292/ },
    { told: [{ written: 'broker-3:9094', hosts: ['10.0.0.3'], port: 9094 }], at: /10\.0\.0\.3:9094/ },
    { told: [{ written: 'broker-3:9092', hosts: ['10.0.0.3', '10.1.0.3'], port: 9092 }], at: /10\.1\.0\.3:9092/ },
    { told: [{ written: 'nobody:9092', hosts: [], port: 9092 }], at: /at nobody:9092, which means nothing there/ },
  ])('refuses where Kafka dials at another address than is cut: $at', async ({ told, at }, { target }) => {
    const direct = withoutProxies(target, {
      toldToDial: async (_, to) => await Promise.resolve(to === 'broker/3' ? told : toldDirectly(to)),
    });
    const { outcome } = await runUntil(direct, { ...fromBrokers, backend: 'auto' }, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(at);
    expect(outcome.reason).toMatch(/broker\/2 dials broker\/3 at/);
    expect(cutsOf(target)).toEqual([]);
  });

  // Red before: only the one that dials was looked at.
  modelTest('ends early where a peer has another address amid the cut', async ({ target }) => {
    const moved = new Set<string>();
    const direct = withoutProxies(target, {
      endpoints: async (node) => await Promise.resolve([endpointAt(moved.has(node) ? '10.0.0.9' : addressOf(node))]),
    });
    const onEdge = ({ edge }: JournalEdge): void => {
      if (edge === 'confirmed') moved.add('broker/3');
    };
    const written = { ...fromBrokers, duration: '5s' };
    const { outcome } = await runUntil(direct, written, { edge: 'unconfirmed' }, { onEdge });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(
      /^ended-early: broker\/2: broker\/3 is at 10\.0\.0\.9 now, where nothing is dropped/,
    );
  });

  // Red before: two of one run had one name, and the second chain could not be made.
  modelTest('has a name and a chain of its own among the faults of a run', async ({ target }) => {
    const cuts: (readonly [string, string])[] = [];
    for (const id of ['network-partition-1', 'network-partition-2']) {
      const { edges } = await runUntil(target, fromBrokers, {}, { id });
      const steps = edges[0]?.undo?.steps ?? [];
      cuts.push(...steps.flatMap((step) => (step.do === 'end-cut' ? [[step.cut.name, step.cut.chain] as const] : [])));
    }
    expect(cuts).toHaveLength(6);
    expect(new Set(cuts.map(([name]) => name)).size).toBe(6);
    expect(new Set(cuts.map(([, chain]) => chain)).size).toBe(6);
  });

  modelTest('refuses where nodes have no way to each other', async ({ target }) => {
    const direct: StartedTarget = { ...target, can: { ...target.can, links: { all: [] } } };
    const { outcome } = await runUntil(direct, fromBrokers, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(/has no way to .*: they share no network, and no proxy lies between them/);
  });

  modelTest('refuses where nothing can drop packets', async ({ target }) => {
    target.cluster.containers.hasPacketFilter = false;
    const { outcome } = await runUntil(target, fromBrokers, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(/has no iptables/);
    expect(cutsOf(target)).toEqual([]);
  });

  modelTest('refuses where another run has left a chain', async ({ target }) => {
    target.cluster.containers.filterRules = ['-P INPUT ACCEPT', '-N ACKPROOF-00000000-11111111'];
    const { outcome } = await runUntil(target, fromBrokers, { edge: 'unconfirmed' });
    expect(outcome.reason).toMatch(/ACKPROOF-00000000-11111111: a partition was left behind/);
  });

  // A rule that counts and stops nothing, as one in the wrong network would be.
  modelTest('is not confirmed while connections are made all the same', async ({ target }) => {
    target.cluster.containers.filtersConnections = false;
    const { outcome } = await runUntil(target, { ...fromBrokers, duration: '1s' }, { seen: /dials broker\/\d: ok/ });
    expect(outcome.confirmed).toBe(false);
  });

  modelTest('is not confirmed while the kernel drops nothing', async ({ target }) => {
    target.cluster.containers.counts = false;
    const { outcome } = await runUntil(target, { ...fromBrokers, duration: '1s' }, { seen: /no more of late/ });
    expect(outcome.confirmed).toBe(false);
  });
});

describe('network-partition as it is written', () => {
  modelTest.for([
    { victim: { broker: 1 }, params: { direction: 'incoming', from: 'controllers' }, why: /nothing incoming/ },
    { victim: { controller: 'leader' }, params: { direction: 'outgoing', from: 'brokers' }, why: /nothing outgoing/ },
    { victim: { node: 'broker/1' }, params: { from: ['broker/1'] }, why: /cannot be cut off from itself/ },
    { victim: { brokers: 'minority' }, params: { from: ['broker/1'] }, why: /name the victim/ },
    { victim: { node: 'proxy' }, params: {}, why: /named by its role and number/ },
    { victim: { broker: 1 }, params: { from: ['b1'] }, why: /named by its role and number/ },
    { victim: { broker: 1 }, params: { from: [] }, why: /Name at least one node/ },
    { victim: { broker: 1 }, params: { from: 'clients' }, why: /brokers, controllers, everybody, or nodes/ },
  ])('is refused where it cannot be: $victim, $params', ({ victim, params, why }) => {
    expect(() => specOf({ fault: 'network-partition', victim, params, duration: '1m' })).toThrow(why);
  });
});
