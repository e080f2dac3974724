// Partitions by packet filters on a real Docker engine: in a project where every path has a proxy, and in one whose brokers dial each
// other directly. Each is confirmed by what the kernel dropped, felt by whoever is cut off, and leaves every filter as it was. What it
// takes is dockerd and the images of `npm run images`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshReach, leftOf, performUndo } from '../../src/faults/undo.ts';
import { freshHex } from '../../src/random.ts';
import { removeMarked } from '../../src/targets/container-heal.ts';
import { ContainerRoster } from '../../src/targets/container-roster.ts';
import { openDockerEngine } from '../../src/targets/docker-engine.ts';
import { NodeContainers } from '../../src/targets/node-containers.ts';
import { startTarget } from '../../src/targets/registry.ts';
import type { NodeId, StartedTarget } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from '../faults/run-on.ts';
import { useOwnImages } from '../support/own-images.ts';
import { describeSystem } from '../support/systems.ts';
import { cutHelpers, packetFiltersOf } from './docker/packet-filters.ts';

const MINUTES = 60_000;
const PARTITION = { fault: 'network-partition', backend: 'netns' };
const signal = new AbortController().signal;

const docker = (...words: readonly string[]): string => execFileSync('docker', [...words], { encoding: 'utf8' });

/** Whether a node's own network lets it connect, tried by a program in its container. */
const connects = (from: string, host: string, port: number): boolean => {
  try {
    docker('exec', from, 'timeout', '2', 'bash', '-c', `exec 3<>/dev/tcp/${host}/${port}`);
    return true;
  } catch {
    return false;
  }
};

/** A project that is started for these tests; `file`: not the one that ackproof brings along. */
const project = (name: string, file?: string) => {
  let directory = '';
  let target: StartedTarget | undefined;
  beforeAll(async () => {
    useOwnImages();
    directory = mkdtempSync(join(tmpdir(), `${name}-`));
    const own = file === undefined ? {} : { file };
    const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'compose', project: name, ...own });
    target = await startTarget(spec, { runId: `${name}-${freshHex(6)}`, runDirectory: directory, defects: [], signal });
  }, 20 * MINUTES);
  afterAll(async () => {
    await target?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }, 5 * MINUTES);
  const started = (): StartedTarget => {
    if (target === undefined) throw new Error('the project did not start');
    return target;
  };
  const containerOf = (node: NodeId): string => started().can.containers?.reference(node).id ?? '';
  const filters = (): readonly string[] => packetFiltersOf((started().can.containers?.nodes ?? []).map(containerOf));
  return { started, containerOf, filters };
};

describeSystem('docker', () => {
  describe('where every path has a proxy', () => {
    const { started, filters } = project('ackproof-partition');

    it.each([
      ['broker/1', 'broker/2'],
      ['broker/3', 'controller/1'],
      ['controller/2', 'controller/3'],
    ])('%s is told to dial %s at the proxy between them', async (from, to) => {
      const { containers, links } = started().can;
      const told = await containers?.toldToDial(from, to, signal);
      const between = links?.all.filter(
        ({ node, shared = [], peer }) => peer === to && [node, ...shared].includes(from),
      );
      expect(between?.map(({ listen }) => [[listen.host], listen.port])).toEqual(
        told?.filter(({ hosts }) => hosts.length > 0).map(({ hosts, port }) => [hosts, port]),
      );
    });

    it.each([
      { victim: { broker: 2 }, params: { from: ['broker/3'] } },
      { victim: { controller: 'leader' }, params: { from: 'controllers' } },
      { victim: { controllers: 'minority' }, params: {} },
    ])(
      '$victim is cut off from $params.from, and every filter is as it was',
      async (written) => {
        const before = filters();
        const seen = await runUntil(started(), { ...PARTITION, ...written });
        expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-8))).toBeUndefined();
        expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
        expect(filters()).toEqual(before);
        expect(cutHelpers()).toBe('');
        expect(started().casualties?.()).toEqual([]);
      },
      5 * MINUTES,
    );

    it.each(['brokers', 'everybody'])(
      'a broker is cut off from %s by the proxies, which Kafka is seen to be told to dial',
      async (from) => {
        const written = { ...PARTITION, backend: 'auto', victim: { broker: 2 }, params: { from } };
        const seen = await runUntil(started(), written);
        expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-8))).toBeUndefined();
        expect(seen.outcome.chosen).toContain('by proxies');
        expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
      },
      5 * MINUTES,
    );
  });

  describe('where brokers dial each other directly', () => {
    const file = fileURLToPath(new URL('docker/direct-brokers.yml', import.meta.url));
    const { started, containerOf, filters } = project('ackproof-direct', file);
    const addressOf = async (node: NodeId): Promise<string> =>
      (await started().can.containers?.endpoints(node))?.[0]?.address ?? '';

    it('clients reach each broker where it publishes its port, and no proxy lies between', () => {
      expect(started().can.links?.all).toEqual([]);
      expect(started().brokers.map(({ node, advertised, direct }) => [node, advertised, direct])).toEqual(
        [1, 2, 3].map((id) => {
          const published = { host: '127.0.0.1', port: 11_990 + id };
          return [`broker/${id}`, published, published];
        }),
      );
    });

    it(
      'a broker that has no proxy is killed, seen to be gone where its clients reach it, and back',
      async () => {
        const seen = await runUntil(started(), { fault: 'process-kill', victim: { broker: 2 } });
        expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-8))).toBeUndefined();
        expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
        const effects = seen.samples.filter(({ kind, holds }) => kind === 'effect' && holds);
        expect(effects.map((each) => each.seen)).toContainEqual(
          expect.stringMatching(/^new connection to broker\/2: refused/u),
        );
      },
      5 * MINUTES,
    );

    it.each([
      ['broker/2', 9092],
      ['controller/1', 9093],
    ])('broker 1 is told to dial %s at its own address', async (to, port) => {
      const told = (await started().can.containers?.toldToDial('broker/1', to, signal)) ?? [];
      const own = [[await addressOf(to)], port];
      expect(new Set(told.map((each) => JSON.stringify([each.hosts, each.port])))).toEqual(
        new Set([JSON.stringify(own)]),
      );
    });

    it(
      'broker 2 dials nobody, and is dialled by everybody, while only what is outgoing is cut',
      async () => {
        const before = filters();
        const [one, two] = [await addressOf('broker/1'), await addressOf('broker/2')];
        const ways = { out: true, back: false };
        const first = async (): Promise<void> => {
          ways.out = connects(containerOf('broker/2'), one, 9092);
          ways.back = connects(containerOf('broker/1'), two, 9092);
          await Promise.resolve();
        };
        const written = { ...PARTITION, backend: 'auto', victim: { broker: 2 } };
        const seen = await runUntil(started(), { ...written, params: { direction: 'outgoing' } }, { first });
        expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-8))).toBeUndefined();
        expect(seen.outcome.chosen).toContain('by packet filters');
        expect(ways).toEqual({ out: false, back: true });
        expect(filters()).toEqual(before);
        expect(cutHelpers()).toBe('');
      },
      5 * MINUTES,
    );

    it(
      'a partition of which the victim is started again has ended by itself, and is told',
      async () => {
        const before = filters();
        const first = async (): Promise<void> => {
          const { processes } = started().can;
          await processes?.kill('broker/3', signal);
          await processes?.start('broker/3', signal);
        };
        const written = { ...PARTITION, victim: { broker: 3 }, params: { from: 'brokers' } };
        const seen = await runUntil(started(), written, { first });
        expect(seen.outcome.confirmed).toBe(false);
        expect(filters()).toEqual(before);
        expect(cutHelpers()).toBe('');
      },
      5 * MINUTES,
    );

    it('a helper whose image has no iptables is refused with a sentence, before anything is changed', async () => {
      const [node, image] = ['broker/1', 'ackproof/debian:bookworm'];
      const roster = new ContainerRoster([{ node, id: containerOf(node) }]);
      const containers = new NodeContainers(await openDockerEngine(), roster, undefined, image);
      await expect(containers.packetFilter(node, 'no-iptables', signal)).rejects.toMatchObject({
        code: 'IPTABLES_NOT_THERE',
        message: `The image ${image} has no iptables, which drops packets.`,
        hint: expect.stringMatching(/helperImage/u) as string,
      });
      expect(docker('ps', '-aq', '--filter', 'label=ackproof.run=no-iptables')).toBe('');
    });

    it(
      'what a run left behind is told, with a command that undoes it, and undone by a process that knows only the journal',
      async () => {
        const before = filters();
        const { containers } = started().can;
        if (containers === undefined) throw new Error('no containers');
        const node = 'broker/1';
        const runId = 'left-behind';
        const filter = await containers.packetFilter(node, runId, signal);
        const places = [{ host: await addressOf('broker/2'), ports: [9092] }];
        const peers = [{ node: 'broker/2', places }];
        const cut = { ...filter, name: 'left-behind-cut', runId, chain: 'ACKPROOF-00000000-11111111', peers };
        const container = containers.reference(node);
        const record = { fault: 'network-partition', steps: [{ do: 'end-cut', node, container, cut }] } as const;
        for (const undo of ['by hand', 'by heal', 'without a journal'] as const) {
          await containers.cut(node, cut, signal);
          const left = await leftOf(record, freshReach());
          expect(left.map(({ what }) => what).join()).toContain('ACKPROOF-00000000-11111111');
          if (undo === 'by hand') execFileSync('bash', ['-c', left[0]?.byHand ?? 'false'], { stdio: 'ignore' });
          else if (undo === 'by heal') expect(await performUndo([record], freshReach(), signal)).toEqual([]);
          else await removeMarked(container.engine, runId);
          expect(await leftOf(record, freshReach())).toEqual([]);
          expect(filters()).toEqual(before);
          expect(cutHelpers()).toBe('');
        }
      },
      5 * MINUTES,
    );
  });
});
