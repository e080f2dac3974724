// Our backend wrapper and our link proxy against the real Toxiproxy: what the wrapper does must work on the real one, and
// what our own proxy does to the bytes must be what the real one does.
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProxy } from '../../src/embedded/link-proxy/running-proxy.ts';
import {
  equalsSnapshot,
  type ToxicSpec,
  ToxiproxyProcess,
  toxicReadsBack,
} from '../../src/faults/backends/toxiproxy.ts';
import { proxyLeft } from '../../src/faults/proxy-left.ts';
import { freePorts } from '../../src/targets/free-ports.ts';
import type { Address } from '../../src/vocabulary.ts';
import { describeSystem } from '../support/systems.ts';
import { startToxiproxy, type ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';
import { exchange, startChurn, startUpstream, type Upstream } from './toxiproxy/traffic.ts';

const HOST = '127.0.0.1';
const toxic = (
  type: ToxicSpec['type'],
  attributes: ToxicSpec['attributes'],
  stream: ToxicSpec['stream'] = 'downstream',
) => ({ name: `t-${type.replace('_', '-')}-${stream}`, type, stream, attributes }) satisfies ToxicSpec;

const EVERY_TOXIC: readonly ToxicSpec[] = [
  toxic('latency', { latency: 400, jitter: 100 }),
  toxic('latency', { latency: 2000, jitter: 0 }),
  toxic('bandwidth', { rate: 50 }),
  toxic('slow_close', { delay: 300 }),
  toxic('timeout', { timeout: 0 }, 'upstream'),
  toxic('reset_peer', { timeout: 0 }),
  toxic('slicer', { average_size: 1000, size_variation: 100, delay: 500 }),
  toxic('limit_data', { bytes: 100_000 }),
];

interface Setting extends AsyncDisposable {
  readonly api: ToxiproxyProcess;
  readonly upstream: Upstream;
  readonly link: Address;
}

const address = (port: number): string => `${HOST}:${port}`;

/** A proxy named `link` of one of the two implementations, in front of an upstream. */
const settingOf = async (implementation: 'real' | 'ours', pushBytes?: number): Promise<Setting> => {
  const upstream = await startUpstream(pushBytes === undefined ? {} : { pushBytes });
  const [port = 0] = await freePorts(HOST, 1);
  const proxies = [{ name: 'link', listen: address(port), upstream: address(upstream.address.port), enabled: true }];
  const server: { admin: Address; stop: () => Promise<void> } =
    implementation === 'real'
      ? await startToxiproxy({ proxies }).then((real) => ({
          admin: real.admin,
          stop: async () => await real[Symbol.asyncDispose](),
        }))
      : await startProxy({ proxies }).then((ours) => ({
          admin: { host: HOST, port: ours.apiPort },
          stop: async () => await ours.stop(),
        }));
  return {
    api: new ToxiproxyProcess(server.admin),
    upstream,
    link: { host: HOST, port },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await upstream[Symbol.asyncDispose]();
    },
  };
};

describeSystem('toxiproxy', () => {
  describe('the wrapper on the real one', () => {
    let real: ToxiproxyServer;
    let api: ToxiproxyProcess;
    beforeEach(async () => {
      const [port = 0] = await freePorts(HOST, 1);
      real = await startToxiproxy({ proxies: [{ name: 'link', listen: address(port), upstream: address(9) }] });
      api = new ToxiproxyProcess(real.admin);
    });
    afterEach(async () => await real[Symbol.asyncDispose]());

    it('is the version our measurements are of', () => {
      expect(real.version).toBe('2.12.0');
    });

    it('takes away a toxic that the server understood differently', async () => {
      await expect(api.addToxic('link', toxic('latency', { latencyMs: 400 }))).rejects.toThrow(
        /latencyMs is 0, not 400/,
      );
      expect((await api.readBack('link')).toxics).toEqual([]);
    });

    it('declares a proxy that is gone with its toxics there before the first connection', async () => {
      await using upstream = await startUpstream();
      const [port = 0] = await freePorts(HOST, 1);
      const link = { host: HOST, port };
      const toxics = [{ ...toxic('timeout', { timeout: 0 }, 'upstream'), toxicity: 1 }];
      const was = {
        name: 'gone',
        listen: address(port),
        upstream: address(upstream.address.port),
        enabled: false,
        toxics,
      };
      await api.restore(was, []);
      expect((await exchange(link, 'early', 10_000)).ending).toBe('refused');
      await api.restore({ ...was, enabled: true }, []);
      expect((await exchange(link, 'swallowed', 500)).ending).toBe('silent');
      expect(upstream.received()).toBe('');
      expect(await api.find('gone')).toEqual({ ...was, enabled: true });
    });

    it('is put back by the commands that are printed for doing it by hand', async () => {
      const was = await api.readBack('link');
      const ours = [toxic('slicer', { average_size: 100 }), toxic('latency', { latency: 5 }, 'upstream')];
      const theirs = { ...toxic('bandwidth', { rate: 1000 }), name: 'theirs' };
      for (const each of [...ours, theirs]) await api.addToxic('link', each);
      const step = {
        do: 'restore-proxy',
        admin: real.admin,
        proxy: was,
        toxics: ours.map(({ name }) => name),
      } as const;
      const [left] = await proxyLeft(step, api);
      execFileSync('bash', ['-c', left?.byHand ?? 'false'], { stdio: 'ignore' });
      expect(await proxyLeft(step, api)).toEqual([]);
      const now = await api.readBack('link');
      expect(equalsSnapshot({ ...now, toxics: [] }, was)).toBeUndefined();
      expect(now.toxics).toEqual([{ ...theirs, toxicity: 1 }]);
    });

    it('tells what the server said when it refuses', async () => {
      await expect(api.readBack('nowhere')).rejects.toThrow(/404.*proxy not found/);
      await api.addToxic('link', toxic('slow_close', { delay: 5 }));
      await expect(api.addToxic('link', toxic('slow_close', { delay: 5 }))).rejects.toThrow(/did not add toxic/);
    });

    it('asks nothing more of a server that hangs, until it answers after all', async () => {
      const impatient = new ToxiproxyProcess(real.admin, { deadlineMs: 300 });
      real.signal('SIGSTOP');
      await expect(impatient.readBack('link')).rejects.toThrow(/Waited/);
      await expect(impatient.readBack('link')).rejects.toThrow(/hung on "GET \/proxies\/link"/);
      real.signal('SIGCONT');
      await expect.poll(() => impatient.suspect).toBeUndefined();
      expect((await impatient.readBack('link')).name).toBe('link');
    });
  });

  describe.each(['real', 'ours'] as const)('the %s one', (implementation) => {
    it.each(EVERY_TOXIC)('heals $type while connections come and go, and is as it was', async (spec) => {
      await using setting = await settingOf(implementation, 16_384);
      const before = await setting.api.readBack('link');
      await using churn = startChurn(setting.link, 12);
      for (let round = 0; round < 3; round++) {
        await setting.api.addToxic('link', spec);
        expect(toxicReadsBack(await setting.api.readBack('link'), spec)).toBeUndefined();
        await new Promise((resolve) => setTimeout(resolve, 500));
        await setting.api.restore(before, [spec.name]);
      }
      expect(equalsSnapshot(await setting.api.readBack('link'), before)).toBeUndefined();
      const served = churn.served();
      await expect.poll(() => churn.served() - served, { timeout: 15_000 }).toBeGreaterThan(12);
      expect(setting.api.suspect).toBeUndefined();
    });

    it('delays answers by a latency toxic', async () => {
      await using setting = await settingOf(implementation);
      await setting.api.addToxic('link', toxic('latency', { latency: 400, jitter: 0 }));
      const seen = await exchange(setting.link, 'hello', 10_000);
      expect(seen.ending).toBe('answered');
      expect(seen.tookMs).toBeGreaterThanOrEqual(395);
    });

    it('loses requests by an upstream timeout toxic, and answers by a downstream one', async () => {
      await using setting = await settingOf(implementation);
      const before = await setting.api.readBack('link');
      await setting.api.addToxic('link', toxic('timeout', { timeout: 0 }, 'upstream'));
      expect((await exchange(setting.link, 'request lost', 700)).ending).toBe('silent');
      await setting.api.restore(before, ['t-timeout-upstream']);
      await setting.api.addToxic('link', toxic('timeout', { timeout: 0 }));
      expect((await exchange(setting.link, 'answer lost', 700)).ending).toBe('silent');
      expect(setting.upstream.received()).toBe('answer lost');
    });

    it('closes at the first byte of an answer by limit_data 0, after the request arrived', async () => {
      await using setting = await settingOf(implementation);
      await setting.api.addToxic('link', toxic('limit_data', { bytes: 0 }));
      expect((await exchange(setting.link, 'arrives', 10_000)).ending).toBe('closed');
      expect(setting.upstream.received()).toBe('arrives');
    });

    it('resets by reset_peer', async () => {
      await using setting = await settingOf(implementation);
      await setting.api.addToxic('link', toxic('reset_peer', { timeout: 0 }));
      expect((await exchange(setting.link, 'hello', 10_000)).ending).toBe('reset');
    });

    it('refuses connections while disabled, and serves again after', async () => {
      await using setting = await settingOf(implementation);
      await setting.api.setEnabled('link', false);
      expect((await exchange(setting.link, 'hello', 10_000)).ending).toBe('refused');
      await setting.api.setEnabled('link', true);
      expect((await exchange(setting.link, 'hello', 10_000)).ending).toBe('answered');
    });
  });
});
