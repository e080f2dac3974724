// What real Apache Kafka tells of itself while the leader of a partition is killed: who is fenced, who leads the quorum, which replicas
// are in sync and which may still be elected, and what its nodes write into their logs, in the timeline and in the report.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterFact } from '../../src/evidence/cluster-fact.ts';
import { watchCluster } from '../../src/evidence/cluster-watch.ts';
import type { NoteLine, TimelineLine } from '../../src/ledger/history-lines.ts';
import type { EvidenceState, ReportModel } from '../../src/report/model.ts';
import { parseAddress } from '../../src/targets/spec-fields.ts';
import type { BrokerId } from '../../src/vocabulary.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { createTopic } from '../../src/wire/topic-calls.ts';
import { runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { kafkaLibs, startKafka } from './kafka/kafka-cluster.ts';

const MINUTES = 60_000;
const TARGET = resolve(import.meta.dirname, '..', '..', 'scenarios', 'targets', 'process.yaml');

/** All three replicas are needed to write, so that a killed one is out of sync below the minimum. */
const SCENARIO = `apiVersion: ackproof/v1
name: told-by-the-cluster
claim: Records acknowledged by all three replicas stay readable after the leader of their partition is killed.
target: ${TARGET}
contract: { acks: all, minInSyncReplicas: 3, boundary: replicated, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  producers: 1
  rate: 200/s
  client: wire
  record: { size: 256B, batch: 10 }
  warmUp: 3s
  duration: 30s
faults:
  - { fault: process-kill, victim: { leaderOf: orders/0 }, at: 4s, duration: 12s, confirm: { timeout: 40s }, heal: { timeout: 2m } }
replay: { passes: [full] }
control: false
seed: 7
`;

describeSystem('kafka', () => {
  let folder: string;
  let place: string;
  let notes: readonly NoteLine[];
  let report: ReportModel;

  const numbers = ({ data }: NoteLine, key: string): readonly number[] => (data?.[key] ?? []) as readonly number[];
  const from = (source: string): readonly NoteLine[] => notes.filter((note) => note.source === source);
  const stateOf = (boundary: string, source: string): EvidenceState | undefined =>
    report.boundaries.find((each) => each.boundary === boundary)?.sources.find((each) => each.source === source)?.state;

  beforeAll(async () => {
    kafkaLibs();
    folder = mkdtempSync(join(tmpdir(), 'ackproof-kafka-evidence-'));
    const file = join(folder, 'told.yaml');
    writeFileSync(file, SCENARIO);
    const run = await runProgram(['run', file, '--out', join(folder, 'runs'), '--report', 'json']);
    expect(run.stdout.split('\n')[0], run.stdout + run.stderr).toMatch(/^PASS/);
    place = join(folder, 'runs', readdirSync(join(folder, 'runs'))[0] ?? '');
    const lines = readFileSync(join(place, 'timeline.ndjson'), 'utf8').trim().split('\n');
    notes = lines.map((line) => JSON.parse(line) as TimelineLine).filter((line) => line.t === 'note');
    report = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as ReportModel;
  }, 10 * MINUTES);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const victim = (): number => Number(/^broker\/(\d+)$/u.exec(report.parts.at(-1)?.faults[0]?.victims[0] ?? '')?.[1]);

  test('fences the killed broker and lets it in again', () => {
    const told = from('fenced').map((note) => numbers(note, 'fenced'));
    expect(told.some((ids) => ids.length === 1 && ids[0] === victim())).toBe(true);
    expect(told.at(-1)).toEqual([]);
    expect(stateOf('Metadata and ownership', 'fenced brokers')).toBe('observed');
  });

  test('tells who leads the quorum, and that the killed broker is behind', () => {
    const told = from('quorum');
    expect(told.every(({ data }) => Number(data?.['leader']) > 100)).toBe(true);
    expect(told.some((note) => numbers(note, 'observersBehind').includes(victim()))).toBe(true);
    expect(stateOf('Metadata and ownership', 'quorum of controllers')).toBe('observed');
  });

  test('takes the killed replica out of the in-sync set, as both questions tell it', () => {
    expect(from('elr').some((note) => !numbers(note, 'inSync').includes(victim()))).toBe(true);
    expect(from('elr').some((note) => numbers(note, 'offline').includes(victim()))).toBe(true);
    // Two of three are below the minimum of this topic, so that the one that fell out may still lead.
    expect(from('elr').some((note) => numbers(note, 'eligible').includes(victim()))).toBe(true);
    expect(stateOf('Metadata and ownership', 'replicas eligible to lead (ELR)')).toBe('observed');
    expect(from('isr').some((note) => !numbers(note, 'inSync').includes(victim()))).toBe(true);
  });

  test('tells what is on the disks of every broker, and where the logs end', () => {
    for (const broker of [1, 2, 3]) expect(from(`log-dirs/${broker}`).at(-1)?.data?.['bytes']).toBeGreaterThan(0);
    expect(from('log-ends').length).toBeGreaterThan(1);
    expect(stateOf('WAL storage', 'log directories')).toBe('observed');
  });

  test('writes of it in its logs, which is found again at the byte that the report names', () => {
    const changes = report.parts.at(-1)?.changes ?? [];
    const fenced = changes.find(({ what }) => what === 'broker-fenced');
    expect(fenced?.text).toContain(`Fencing broker ${victim()} at epoch`);
    const { file = '', position = 0, loggedAt } = fenced?.place ?? {};
    const bytes = Buffer.alloc(200);
    const descriptor = openSync(join(place, file), 'r');
    readSync(descriptor, bytes, 0, bytes.length, position);
    closeSync(descriptor);
    expect(bytes.toString('utf8')).toContain(`Fencing broker ${victim()} at epoch`);
    expect(bytes.toString('utf8')).toContain(loggedAt);
    const html = readFileSync(join(place, 'report.html'), 'utf8');
    expect(html).toContain(`${file} byte ${position}`);
  });

  test('shows by its epochs that there was one owner at a time', () => {
    const gate = report.parts.at(-1)?.ownership;
    expect(gate).toMatchObject({ state: 'pass', partitions: 2, overruled: 0 });
    expect(gate?.epochs).toBeGreaterThan(2);
  });

  test('has an object store at no boundary, and what never showed in a log is no good sign', () => {
    expect(report.boundaries.find(({ boundary }) => boundary === 'Object storage')?.state).toBe('not provided');
    const logs = report.boundaries.flatMap(({ sources }) => sources).filter(({ source }) => source === 'node logs');
    expect(logs.some(({ state, detail }) => state === 'not collected' && detail.includes('unclean-change'))).toBe(true);
  });

  test('is asked a handful of times a second', () => {
    const asked = from('coverage').reduce((sum, { data }) => sum + Number(data?.['asked'] ?? 0), 0);
    const seconds = (notes.at(-1)?.at ?? 0) / 1000;
    expect(asked / seconds).toBeLessThan(8);
  });
});

describeSystem('kafka', () => {
  test('that keeps eligible replicas tells of one that fell out of sync below the minimum', async () => {
    await using cluster = await startKafka(3);
    const bootstrap = cluster.bootstrapServers.map(parseAddress);
    const server = ['--bootstrap-server', cluster.bootstrapServers.join(',')];
    await cluster.tool('org.apache.kafka.tools.FeatureCommand', [
      ...server,
      'upgrade',
      '--feature',
      'eligible.leader.replicas.version=1',
    ]);
    const client = new ClusterClient({ bootstrap, clientId: 'test' });
    const config = { 'min.insync.replicas': '3' };
    const topic = { name: 'orders', partitions: 1, replicationFactor: 3, config };
    await createTopic(client, topic, { deadlineMs: 30_000 });
    client.close();
    const facts: ClusterFact[] = [];
    const brokers = bootstrap.map((address, index) => {
      const id = (index + 1) as BrokerId;
      return { id, node: `broker/${id}`, advertised: address, direct: address };
    });
    const watch = watchCluster({
      target: { brokers, evidenceBootstrap: bootstrap },
      topic: 'orders',
      partitions: 1,
      at: () => 0,
      clientId: 'test',
      onFact: (fact) => facts.push(fact),
    });
    const last = (source: string): ClusterFact['data'] | undefined =>
      facts.findLast((fact) => fact.source === source && fact.data['state'] === undefined)?.data;
    await expect.poll(() => last('elr')?.['inSync'], { timeout: 30_000 }).toEqual([1, 2, 3]);
    await cluster.kill(3);
    await expect.poll(() => last('elr')?.['eligible'], { timeout: 90_000 }).toEqual([3]);
    expect(last('elr')?.['inSync']).toEqual([1, 2]);
    await expect.poll(() => last('fenced')?.['fenced'], { timeout: 30_000 }).toEqual([3]);
    // Asked of brokers, which pass the question on: there are no controllers by themselves here.
    await expect.poll(() => last('quorum')?.['votersBehind'], { timeout: 30_000 }).toEqual([3]);
    await watch[Symbol.asyncDispose]();
    expect(facts.filter(({ source }) => source === 'coverage').length).toBeGreaterThan(4);
  }, 300_000);
});
