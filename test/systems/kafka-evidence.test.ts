// What real Apache Kafka tells of itself while the leader of a partition is killed: who is fenced, who leads the quorum, which replicas
// are in sync and which may still be elected, and what its nodes write into their logs, in the timeline and in the report.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NoteLine, TimelineLine } from '../../src/ledger/history-lines.ts';
import type { EvidenceState, ReportModel } from '../../src/report/model.ts';
import { runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const MINUTES = 60_000;
const TARGET = resolve(import.meta.dirname, '..', '..', 'scenarios', 'targets', 'process.yaml');

/** All three replicas are needed to write, so that a killed one is out of sync below the minimum and stays eligible. */
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

  test('keeps the killed replica eligible while it is out of sync below the minimum', () => {
    const out = from('elr').filter((note) => !numbers(note, 'inSync').includes(victim()));
    expect(out.length).toBeGreaterThan(0);
    expect(out.some((note) => numbers(note, 'eligible').includes(victim()))).toBe(true);
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
