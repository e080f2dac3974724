// Traps of the real Toxiproxy, each with what keeps our wrapper out of it; where it costs little, that the trap is there, so that a
// release without it is noticed. Latency that is removed while data is queued, what a misspelt attribute becomes, resets and toxics
// that cannot come with a proxy are in toxiproxy.test.ts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  equalsSnapshot,
  type ProxyState,
  type ToxicSpec,
  ToxiproxyProcess,
} from '../../src/faults/backends/toxiproxy.ts';
import { freePorts } from '../../src/targets/free-ports.ts';
import type { Address } from '../../src/vocabulary.ts';
import { openTlsSocket } from '../../src/wire/tls-socket.ts';
import { describeSystem } from '../support/systems.ts';
import { type Recorder, startRecorder } from './toxiproxy/recorder.ts';
import { startSilentUpstream } from './toxiproxy/silent-upstream.ts';
import { startToxiproxy, type ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';
import { exchange, startChurn, startUpstream, type Upstream } from './toxiproxy/traffic.ts';

const HOST = '127.0.0.1';
const PUSH_BYTES = 16_384;

const toxic = (type: ToxicSpec['type'], attributes: ToxicSpec['attributes']): ToxicSpec => ({
  name: `t-${type.replace('_', '-')}`,
  type,
  stream: type === 'timeout' ? 'upstream' : 'downstream',
  attributes,
});

describeSystem('toxiproxy', () => {
  let upstream: Upstream;
  let real: ToxiproxyServer;
  let recorder: Recorder;
  let api: ToxiproxyProcess;
  let link: Address;
  let other: Address;
  let was: ProxyState;

  const start = async (options: { readonly pushBytes?: number; readonly args?: readonly string[] } = {}) => {
    const { args, ...traffic } = options;
    upstream = await startUpstream(traffic);
    const [port = 0, otherPort = 0] = await freePorts(HOST, 2);
    const to = `${HOST}:${upstream.address.port}`;
    const proxies = [
      { name: 'link', listen: `${HOST}:${port}`, upstream: to },
      { name: 'other', listen: `${HOST}:${otherPort}`, upstream: to },
    ];
    real = await startToxiproxy({ proxies, ...(args === undefined ? {} : { args }) });
    recorder = await startRecorder(real.admin);
    api = new ToxiproxyProcess(recorder.admin, { deadlineMs: 2000 });
    [link, other] = [port, otherPort].map((each) => ({ host: HOST, port: each })) as [Address, Address];
    was = await api.readBack('link');
  };
  afterEach(async () => {
    await recorder[Symbol.asyncDispose]();
    await real[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  /** Past the wrapper, as somebody does who does not know better. */
  const raw = async (method: string, path: string, body?: unknown, ms = 1000): Promise<number | 'no answer'> => {
    const url = `http://${real.admin.host}:${real.admin.port}${path}`;
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url, { method, signal: AbortSignal.timeout(ms), ...more }).catch(() => undefined);
    return answer?.status ?? 'no answer';
  };
  const isThere = async (): Promise<boolean> => (await raw('GET', '/version')) === 200;

  /** What no wrapper of ours may ever ask, whatever it does. */
  const forbidden = (): readonly string[] =>
    recorder.calls.filter((call) => /^(PATCH|POST|DELETE) \S+\/toxics\/|\/populate|\/reset|\/metrics/u.test(call));

  it('2: a wedged proxy is asked nothing more, and above all not to go away, so that the others stay manageable', async () => {
    await start({ pushBytes: PUSH_BYTES });
    await using churn = startChurn(link, 12);
    await expect.poll(() => churn.served(), { timeout: 10_000 }).toBeGreaterThan(12);
    await api.addToxic('link', toxic('latency', { latency: 400, jitter: 0 }));
    await new Promise((done) => setTimeout(done, 500));
    // The trap: this is what wedges it.
    expect(await raw('DELETE', '/proxies/link/toxics/t-latency', undefined, 3000)).toBe('no answer');
    const before = recorder.calls.length;
    await expect(api.restore(was, ['t-latency'])).rejects.toThrow(/Waited/);
    await expect(api.setEnabled('link', false)).rejects.toThrow(/hung on "GET \/proxies\/link"/);
    expect(recorder.calls.slice(before)).toEqual(['GET /proxies/link']);
    expect(await raw('GET', '/proxies/other')).toBe(200);
    expect(await raw('PATCH', '/proxies/other', { enabled: false })).toBe(200);
  });

  it('3: the rate of a live bandwidth toxic is never changed, but made anew with its proxy', async () => {
    await start({ pushBytes: PUSH_BYTES });
    await using churn = startChurn(link, 12);
    for (const rate of [50, 1000, 100_000]) {
      await api.addToxic('link', toxic('bandwidth', { rate }));
      await expect.poll(() => churn.served(), { timeout: 10_000 }).toBeGreaterThan(0);
      await api.restore(was, ['t-bandwidth']);
    }
    expect([forbidden(), await isThere()]).toEqual([[], true]);
    // The trap: a rate that is raised ends the whole process before long.
    await api.addToxic('link', toxic('bandwidth', { rate: 50 }));
    for (let tried = 0; tried < 60 && (await isThere()); tried++) {
      const [low, high] = [{ rate: 50 }, { rate: 1_000_000 }];
      await raw('PATCH', '/proxies/link/toxics/t-bandwidth', { attributes: tried % 2 === 0 ? high : low });
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(await isThere()).toBe(false);
  });

  it('4: a proxy that dials somebody who is silent is told as such, and waited for no longer than a call may take', async () => {
    await start();
    await using silent = await startSilentUpstream();
    const to = { name: 'silent', listen: `${HOST}:0`, upstream: `${HOST}:${silent.address.port}` };
    await api.restore({ ...to, enabled: true, toxics: [] }, []);
    const { listen } = await api.readBack('silent');
    const dialled = { host: HOST, port: Number(listen.split(':')[1]) };
    // The first is accepted before it is dialled for, and keeps the proxy busy.
    const waiting = [exchange(dialled, 'hello', 20_000), exchange(dialled, 'hello', 20_000)];
    await new Promise((done) => setTimeout(done, 500));
    const started = performance.now();
    await expect(api.setEnabled('silent', false)).rejects.toThrow(/Waited/);
    expect(performance.now() - started).toBeLessThan(5000);
    await expect(api.readBack('link')).rejects.toThrow(/hung on "PATCH \/proxies\/silent"/);
    await real[Symbol.asyncDispose]();
    await Promise.all(waiting);
  });

  it('4: a Toxiproxy of docker-compose.yml gives a dial up after one more try', () => {
    const file = resolve(import.meta.dirname, '..', '..', 'docker-compose.yml');
    const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
      services: Record<string, { readonly sysctls?: readonly string[] }>;
    };
    const proxies = Object.entries(services).filter(([name]) => name.startsWith('toxiproxy'));
    expect(proxies.map(([, { sysctls }]) => sysctls)).toEqual(proxies.map(() => ['net.ipv4.tcp_syn_retries=1']));
  });

  /** A connection that stays, and all that came over it. */
  const held = async (address: Address) => {
    const socket = new Socket().on('error', () => undefined);
    let isClosed = false;
    socket.on('close', () => (isClosed = true)).resume();
    await new Promise<void>((done) => socket.connect(address.port, address.host, done));
    return { send: (text: string) => socket.write(text), isClosed: () => isClosed, end: () => socket.destroy() };
  };

  it('6: a connection that lost bytes is ended, and never goes on without them', async () => {
    await start();
    const cut = toxic('timeout', { timeout: 0 });
    const [ours, theirs] = [await held(link), await held(other)];
    await api.addToxic('link', cut);
    await api.addToxic('other', cut);
    for (const each of [ours, theirs]) each.send('LOST');
    await new Promise((done) => setTimeout(done, 300));
    await api.restore(was, [cut.name]);
    await expect.poll(ours.isClosed).toBe(true);
    expect([upstream.received(), forbidden()]).toEqual(['', []]);
    // The trap: a change of the toxic lets what comes later pass, as if nothing had been before it.
    expect(await raw('PATCH', `/proxies/other/toxics/${cut.name}`, { attributes: { timeout: 100_000 } })).toBe(200);
    expect(await raw('PATCH', `/proxies/other/toxics/${cut.name}`, { toxicity: 0 })).toBe(200);
    theirs.send('AFTER');
    await expect.poll(() => upstream.received()).toBe('AFTER');
    theirs.end();
  });

  it('7: a proxy is put back by itself, since nothing that is said to all of them does it', async () => {
    await start();
    await api.addToxic('link', toxic('slow_close', { delay: 5 }));
    await api.setEnabled('link', false);
    // The trap: declared again as it was, it is left as it is.
    const { name, listen, upstream: to } = was;
    expect(await raw('POST', '/populate', [{ name, listen, upstream: to, enabled: true }])).toBe(201);
    expect(await api.readBack('link')).toMatchObject({ enabled: false, toxics: [{ name: 't-slow-close' }] });
    await api.restore(was, ['t-slow-close']);
    expect(equalsSnapshot(await api.readBack('link'), was)).toBeUndefined();
    expect(forbidden()).toEqual([]);
  });

  it('9: counters of bytes are no evidence: they stand still while a connection lasts', async () => {
    await start({ args: ['-proxy-metrics'] });
    const bytes = async (): Promise<number> => {
      const text = await (await fetch(`http://${real.admin.host}:${real.admin.port}/metrics`)).text();
      const counts = text.matchAll(/^toxiproxy_proxy_received_bytes_total\{.*proxy="link".*\} (\d+)/gmu);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const connection = await held(link);
    connection.send('counted only later');
    await expect.poll(() => upstream.received()).toBe('counted only later');
    expect(await bytes()).toBe(0);
    connection.end();
    await expect.poll(bytes).toBeGreaterThan(0);
    // What the wrapper asks for instead is the proxy itself.
    await api.addToxic('link', toxic('bandwidth', { rate: 10 }));
    await api.restore(was, ['t-bandwidth']);
    expect(forbidden()).toEqual([]);
  });

  it('11: a proxy that a restart has lost is declared again, toxics of others and all', async () => {
    await start();
    const theirs = { ...toxic('latency', { latency: 5, jitter: 0 }), toxicity: 1 };
    const [{ port }, config] = [real.admin, { proxies: [] }];
    await real[Symbol.asyncDispose]();
    real = await startToxiproxy({ port, ...config });
    expect(await api.find('link')).toBeUndefined();
    await api.restore({ ...was, toxics: [theirs] }, ['t-bandwidth']);
    expect(await api.readBack('link')).toEqual({ ...was, toxics: [theirs] });
    expect((await exchange(link, 'hello', 10_000)).ending).toBe('answered');
  });

  it('11 and 2: one that is stopped is started again where it is ours, and every proxy of it is there again', async () => {
    await start();
    const { port } = real.admin;
    const proxies = [was, await api.readBack('other')];
    const ours = new ToxiproxyProcess(recorder.admin, {
      deadlineMs: 500,
      restart: async () => {
        await real[Symbol.asyncDispose]();
        real = await startToxiproxy({ port, proxies });
      },
    });
    const cut = toxic('timeout', { timeout: 0 });
    await ours.addToxic('link', cut);
    real.signal('SIGSTOP');
    const before = recorder.calls.length;
    await ours.restore(was, [cut.name]);
    expect(recorder.calls.slice(before)).toEqual(['GET /proxies/link', 'GET /proxies/link']);
    expect(await ours.readBack('link')).toEqual(was);
    for (const each of [link, other]) expect((await exchange(each, 'hello', 10_000)).ending).toBe('answered');
  });

  it('12: TLS passes untouched, so whoever connects checks the name of the proxy against the broker’s certificate', async () => {
    await start();
    const folder = mkdtempSync(join(tmpdir(), 'ackproof-tls-'));
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=broker-1'];
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-addext', 'subjectAltName=DNS:broker-1'];
    execFileSync('openssl', [...words, ...files], { cwd: folder, stdio: 'ignore' });
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
    rmSync(folder, { recursive: true });
    const server = createTlsServer({ key, cert }, (socket) => socket.on('error', () => undefined));
    const listening = new Promise<void>((done) => server.listen(0, HOST, done));
    await listening;
    const { port } = server.address() as { port: number };
    await api.restore({ ...was, name: 'tls', listen: `${HOST}:0`, upstream: `${HOST}:${port}` }, []);
    const { listen } = await api.readBack('tls');
    const proxied = { host: HOST, port: Number(listen.split(':')[1]) };
    const shake = async (more: { readonly serverName?: string }): Promise<string> =>
      await new Promise((done) => {
        const socket = openTlsSocket(proxied, { ca: cert ?? '', ...more });
        socket.once('secureConnect', () => done('proved'));
        socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
        socket.on('close', () => undefined);
      });
    expect(await shake({ serverName: 'broker-1' })).toBe('proved');
    expect(await shake({})).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    server.close();
  });
});
