// What the S3 fault proxy costs without a rule: the same load straight at a store, through the proxy, and through a bare pass-through
// of Node.js's own http, each of them a process of its own, in turn. Prints the latency it adds to small reads, how much of a paced
// and of an unpaced upload and download it carries, its CPU seconds for each GiB, and its memory over a long stream.
// Run after `npm run build`: node dist-bench/bench/s3-proxy.js [stream MiB, 5120] [rounds, 5] [requests, 2000]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock.ts';
import { median, medianRatio } from './medians.ts';

const MIB = 1024 ** 2;
const PIECE = Buffer.alloc(MIB, 'x');
const PACED_BYTES_PER_SECOND = 100e6;
/** Of the stream's length, for one unpaced upload. */
const UNPACED_SHARE = 0.1;
const PACED_MIB = 200;
const LATENCY_BYTES = 4096;

const serve = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Takes uploads and forgets them; GET /bucket/BYTES is answered so many bytes. */
const storeServer = (): Server =>
  createServer((incoming, response) => {
    if (incoming.method === 'PUT') {
      incoming.resume().on('end', () => response.writeHead(200, { 'content-length': 0 }).end());
      return;
    }
    let left = Number(incoming.url?.split('/').at(-1));
    response.writeHead(200, { 'content-length': left });
    const more = (): void => {
      while (left > 0) {
        const piece = PIECE.subarray(0, Math.min(left, MIB));
        left -= piece.length;
        if (!response.write(piece)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });

/** The least that a reverse proxy in Node.js can do. */
const passThroughServer = (port: number): Server => {
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    const onward = request({ agent, host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
};

const runRole = async (role: string, upstreamPort: number): Promise<void> => {
  const port = await serve(role === 'store' ? storeServer() : passThroughServer(upstreamPort));
  process.stdout.write(`${JSON.stringify({ port })}\n`);
  process.stdin.on('close', () => process.exit(0)).resume();
};

interface Contestant {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

const start = async (
  name: string,
  words: readonly string[],
  portIn: (ready: string) => number,
): Promise<Contestant> => {
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [ready] = (await once(child.stdout, 'data')) as [Buffer];
  return { name, port: portIn(ready.toString()), child };
};

const self = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL('../src/s3-proxy/s3-proxy-program.js', import.meta.url));
const portOnly = (ready: string): number => (JSON.parse(ready) as { port: number }).port;

const startProxy = async (port: number): Promise<Contestant> => {
  const upstream = { protocol: 'http', host: '127.0.0.1', port };
  const config = { listeners: [{ name: 'data', upstream }], exitOnStdinClose: true };
  return await start('proxy', [program, JSON.stringify(config)], (ready) => {
    const { listeners } = JSON.parse(ready) as { listeners: { data: { port: number } } };
    return listeners.data.port;
  });
};

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const answerOf = async (
  port: number,
  method: string,
  path: string,
  send: (body: NodeJS.WritableStream) => Promise<void>,
  bytes = 0,
): Promise<number> => {
  const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: { 'content-length': bytes } });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await send(sent);
  sent.end();
  const [answer] = await answered;
  let received = 0;
  answer.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  await once(answer, 'end');
  return received;
};

const nothing = async (): Promise<void> => await Promise.resolve();

/** MB/s of one upload, paced if `bytesPerSecond` is given. */
const upload = async (port: number, mebibytes: number, bytesPerSecond = Infinity): Promise<number> => {
  const bytes = mebibytes * MIB;
  const from = systemClock.now();
  await answerOf(
    port,
    'PUT',
    '/bucket/key',
    async (body) => {
      for (let sent = 0; sent < bytes; sent += MIB) {
        const early = from + (sent / bytesPerSecond) * 1000 - systemClock.now();
        if (early > 1) await systemClock.sleep(early);
        if (!body.write(PIECE)) await once(body, 'drain');
      }
    },
    bytes,
  );
  return bytes / 1e3 / (systemClock.now() - from);
};

const download = async (port: number, mebibytes: number): Promise<number> => {
  const from = systemClock.now();
  const received = await answerOf(port, 'GET', `/bucket/${mebibytes * MIB}`, nothing);
  if (received !== mebibytes * MIB) throw new Error(`${received} bytes came of ${mebibytes} MiB.`);
  return received / 1e3 / (systemClock.now() - from);
};

/** Median milliseconds of a small read. */
const latency = async (port: number, requests: number): Promise<number> => {
  const took: number[] = [];
  for (let count = 0; count < requests; count++) {
    const from = systemClock.now();
    await answerOf(port, 'GET', `/bucket/${LATENCY_BYTES}`, nothing);
    took.push(systemClock.now() - from);
  }
  return median(took);
};

const TICKS_PER_SECOND = 100;

/** Seconds of CPU and bytes of memory of a process, as Linux tells them. */
const costOf = ({ child }: Contestant): { readonly cpu: number; readonly rss: number } => {
  const stat = readFileSync(`/proc/${child.pid ?? 0}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, kib] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'latin1')) ?? [];
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, rss: Number(kib) * 1024 };
};

const line = (what: string, ...values: readonly string[]): void => {
  process.stdout.write(`${what.padEnd(34)} ${values.join('   ')}\n`);
};

interface Measured {
  readonly latency: number;
  readonly paced: number;
  readonly up: number;
  readonly down: number;
  readonly cpuPerGib: number;
}

const measure = async (contestant: Contestant, requests: number, unpacedMib: number): Promise<Measured> => {
  const { port } = contestant;
  const small = await latency(port, requests);
  const paced = await upload(port, PACED_MIB, PACED_BYTES_PER_SECOND);
  const before = costOf(contestant).cpu;
  const up = await upload(port, unpacedMib);
  const down = await download(port, unpacedMib);
  const cpuPerGib = (costOf(contestant).cpu - before) / ((2 * unpacedMib) / 1024);
  return { latency: small, paced, up, down, cpuPerGib };
};

const print = (rounds: ReadonlyMap<string, readonly Measured[]>): void => {
  const names = [...rounds.keys()];
  const of = (name: string, pick: (measured: Measured) => number): readonly number[] =>
    (rounds.get(name) ?? []).map(pick);
  const row = (what: string, pick: (measured: Measured) => number, digits: number): void =>
    line(what, ...names.map((name) => `${name} ${median(of(name, pick)).toFixed(digits)}`));
  row('4 KiB read, p50 ms', (round) => round.latency, 3);
  row('upload paced at 100 MB/s, MB/s', (round) => round.paced, 1);
  row('upload, MB/s', (round) => round.up, 0);
  row('download, MB/s', (round) => round.down, 0);
  row('CPU s/GiB (direct: the store’s)', (round) => round.cpuPerGib, 2);
  const added = median(of('proxy', (round) => round.latency)) - median(of('direct', (round) => round.latency));
  line('added latency, p50', `${added.toFixed(3)} ms (goal: at most 1)`);
  const ratio = (over: string, under: string, pick: (measured: Measured) => number): string =>
    medianRatio(of(over, pick), of(under, pick)).toFixed(3);
  line('paced, proxy : direct', `${ratio('proxy', 'direct', (round) => round.paced)} (goal: at least 0.95)`);
  for (const [what, pick] of [
    ['upload', (round: Measured) => round.up],
    ['download', (round: Measured) => round.down],
  ] as const) {
    line(`${what}, proxy : direct`, ratio('proxy', 'direct', pick));
    line(`${what}, proxy : pass-through`, `${ratio('proxy', 'pass-through', pick)} (goal: at least 0.85)`);
  }
};

/** Memory of the proxy over one long stream each way, beside what it had after a short one. */
const stream = async (proxy: Contestant, mebibytes: number): Promise<void> => {
  const short = Math.ceil(mebibytes * UNPACED_SHARE);
  await upload(proxy.port, short);
  await download(proxy.port, short);
  const before = costOf(proxy).rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, costOf(proxy).rss);
  }, 200);
  await upload(proxy.port, mebibytes);
  await download(proxy.port, mebibytes);
  clearInterval(watch);
  const grown = (most - before) / MIB;
  line(
    `memory over ${mebibytes} MiB each way`,
    `${(before / MIB).toFixed(0)} MiB + ${grown.toFixed(1)} MiB (goal: at most 32)`,
  );
};

const main = async (): Promise<void> => {
  const [streamMib = 5120, rounds = 5, requests = 2000] = process.argv.slice(2).map(Number);
  const store = await start('direct', [self, 'store'], portOnly);
  const proxy = await startProxy(store.port);
  const bare = await start('pass-through', [self, 'pass-through', String(store.port)], portOnly);
  const all = [store, proxy, bare];
  try {
    const measured = new Map(all.map(({ name }) => [name, [] as Measured[]]));
    for (const each of all) await upload(each.port, 64);
    for (let round = 0; round < rounds; round++) {
      for (const each of all)
        measured.get(each.name)?.push(await measure(each, requests, Math.ceil(streamMib * UNPACED_SHARE)));
    }
    print(measured);
    await stream(proxy, streamMib);
  } finally {
    agent.destroy();
    for (const { child } of all) child.kill();
  }
};

const [role = ''] = process.argv.slice(2);
if (role === 'store' || role === 'pass-through') await runRole(role, Number(process.argv[3]));
else await main();
