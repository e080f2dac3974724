// What an acknowledged record costs, ours and others', on one Apache Kafka of three brokers in one run: replication 3, acks all.
// Ours with the ledger on. Each is measured in turn, on a topic of its own, until its records are all there; medians over
// the rounds, and ratios pair by pair. Needs Java and Kafka's jars (npm run kafka:fetch).
// Run: node dist-bench/bench/produce/main.js [rounds] [records] [producers] [batch] [contestant]; `records` is a
// multiple of lanes × batch × 4
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterEye } from '../../src/scenarios/cluster-eye.ts';
import { freePorts } from '../../src/targets/free-ports.ts';
import { startTarget } from '../../src/targets/registry.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { describeTopic, listOffset } from '../../src/wire/evidence-calls.ts';
import { median, medianRatio } from '../medians.ts';
import { type Contestant, findContestants, type Order } from './contestants.ts';
import { measureProcess, type Usage } from './measured-process.ts';

const rounds = Number(process.argv[2] ?? 5);
const most = Number(process.argv[3] ?? 960_000);
const producers = Number(process.argv[4] ?? 4);
const batch = Number(process.argv[5] ?? 200);
const only = process.argv[6];
const WARM_UP = 240_000;
const PARTITIONS = 6;
const BYTES = 512;
const LIMIT = { deadlineMs: 30_000 };

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(signal)));
const folder = mkdtempSync(join(tmpdir(), 'ackproof-bench-'));
const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process', proxies: 'built-in' });
const { signal } = interrupted;
const kafka = await startTarget(spec, { runId: 'bench', runDirectory: folder, defects: [], signal });
const addresses = kafka.evidenceBootstrap; // past the proxies: nobody here is to be slowed down by them
const eye = new ClusterEye(addresses, 'bench');
const client = new ClusterClient({ bootstrap: addresses, clientId: 'bench' });

/** How many records the topic holds, as the brokers say. */
const stored = async (topic: string): Promise<number> => {
  let sum = 0;
  for (let partition = 0; partition < PARTITIONS; partition++) {
    sum += (await listOffset(client, { topic, partition }, 'latest', 'read_committed', LIMIT)).offset;
  }
  return sum;
};

/** Waits until every broker says so: some contestants ask one of them, once. */
const untilKnown = async (topic: string): Promise<void> => {
  for (const address of addresses) {
    const asker = new ClusterClient({ bootstrap: [address], clientId: 'bench' });
    await describeTopic(asker, topic, LIMIT);
    asker.close();
  }
};

let turn = 0;

/** What one contestant did in one turn. */
interface Turn extends Usage {
  readonly records: number;
}

const measure = async (contestant: Contestant, records: number): Promise<Turn> => {
  const topic = `bench-${turn++}`;
  const config = { 'segment.bytes': '67108864' };
  const asked = { name: 'bench', partitions: PARTITIONS, replicationFactor: 3, config };
  await eye.createTopic(topic, asked, { minInSyncReplicas: 2, uncleanLeaderElection: false } as never);
  await untilKnown(topic);
  const own = join(folder, topic);
  mkdirSync(own);
  const bootstrap = addresses.map(({ host, port }) => `${host}:${port}`).join(',');
  const order: Order = {
    bootstrap,
    topic,
    partitions: PARTITIONS,
    producers,
    batch,
    bytes: BYTES,
    records,
    folder: own,
  };
  const outputFile = join(own, 'output');
  const usage = await measureProcess({ ...contestant.call(order), folder: own, outputFile, signal });
  const there = await stored(topic);
  if (there !== records) throw new Error(`${contestant.name}: ${there} of ${records} records are there`);
  await eye.deleteTopic(topic);
  rmSync(own, { recursive: true });
  return { ...usage, records };
};

const line = (cells: readonly string[]): void => {
  process.stdout.write(`${cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(16))).join('')}\n`);
};

const print = (measured: ReadonlyMap<string, readonly Turn[]>): void => {
  const rate = ({ records, seconds }: Turn): number => records / seconds;
  const perCpu = ({ records, cpuSeconds }: Turn): number => records / cpuSeconds;
  line(['', 'records/s', 'per CPU second', 'peak MB']);
  for (const [name, all] of measured) {
    const peak = median(all.map(({ peakBytes }) => peakBytes)) / 1e6;
    line([name, ...[median(all.map(rate)), median(all.map(perCpu)), peak].map((value) => value.toFixed(0))]);
  }
  const ratio = (one: string, other: string, what: string, of: (turn: Turn) => number, goal: number): void => {
    const [over, under] = [measured.get(one), measured.get(other)];
    if (over === undefined || under === undefined) return;
    const value = medianRatio(over.map(of), under.map(of));
    const verdict = value >= goal ? 'reached' : 'missed';
    process.stdout.write(`${one} : ${other}, ${what}: ${value.toFixed(2)} (goal ${goal.toFixed(2)}: ${verdict})\n`);
  };
  ratio('ackproof kafkajs', 'plain kafkajs', 'records/s', rate, 0.95);
  ratio('ackproof kafkajs', 'the same, named', 'records/s', rate, 0.95);
  ratio('ackproof wire', 'kgo-verifier', 'records per CPU second', perCpu, 1.5);
  ratio('ackproof wire', 'VerifiableProducer', 'records/s', rate, 0.8);
};

try {
  const [remotePort = 0] = await freePorts('127.0.0.1', 1);
  const all = await findContestants(folder, remotePort);
  const chosen = all.filter(({ name }) => only === undefined || name === only);
  const measured = new Map<string, Turn[]>(chosen.map(({ name }) => [name, []]));
  const [first] = chosen;
  if (first === undefined) throw new Error(`nobody is called ${String(only)}`);
  await measure(first, WARM_UP); // of the brokers
  for (let round = 0; round < rounds; round++) {
    for (const contestant of chosen) {
      const turn = await measure(contestant, most * contestant.share);
      measured.get(contestant.name)?.push(turn);
      process.stderr.write(`round ${round + 1}: ${contestant.name}: ${turn.seconds.toFixed(1)} s\n`);
    }
  }
  process.stdout.write(
    `${most} records, of the slow ones a quarter, of ${BYTES} B, ${PARTITIONS} partitions, ${producers * PARTITIONS} lanes, batches of ${batch}, ` +
      `medians of ${rounds} rounds in turn, Kafka ${kafka.description.fingerprint['kafka'] ?? ''}\n`,
  );
  print(measured);
} finally {
  eye.close();
  client.close();
  await kafka[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
