// What a report says is in a topic, held against a reader that is not ours: kcat dumps the topic of a run that was told to leave its
// cluster as it is, and every record is at its offset in both or in neither.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRecord } from '../../src/ledger/record-identity.ts';
import type { RunRecord } from '../../src/ledger/run-record.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { describeSystem, needKcat } from '../support/systems.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios');
const MINUTES = 60_000;
const LENGTH_BYTES = 4;

/** A pass that loses nothing, one with ambiguous answers, and a loss. */
const RUNS = [
  { scenario: 'leader-kill', exitCode: 0 },
  { scenario: 'ambiguous-acknowledgement', exitCode: 0 },
  { scenario: 'losses/acks-one', exitCode: 1 },
];

interface KeptRun {
  readonly directory: string;
  readonly bootstrap: string;
  /** Ends the cluster: how the run ended, and all that it said. */
  end(): Promise<{ readonly exitCode: number | null; readonly said: string }>;
}

/** Runs a scenario to its end; its cluster stays. */
const runAndKeep = async (file: string, target: string, out: string): Promise<KeptRun> => {
  const child = startProgram(['run', file, '--target', target, '--out', out, '--keep']);
  let said = '';
  const closed = new Promise<number | null>((done) => child.once('close', done));
  const bootstrap = await new Promise<string>((done, fail) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const address = /left as it is \(([^,)]+)/u.exec(said)?.[1];
      if (address !== undefined) done(address);
    });
    child.once('close', () => fail(new Error(`The run ended by itself: ${said}`)));
  });
  const [name = ''] = readdirSync(out);
  const end: KeptRun['end'] = async () => {
    child.kill('SIGINT');
    return { exitCode: await closed, said };
  };
  return { directory: join(out, name), bootstrap, end };
};

/** `offset id` of every record of a partition, as librdkafka reads it; records that nobody has a checksum for are damage. */
const dumped = async (bootstrap: string, topic: string, partition: number): Promise<readonly string[]> => {
  const where = ['-C', '-b', bootstrap, '-t', topic, '-p', String(partition), '-o', 'beginning', '-e', '-q'];
  const child = spawn('kcat', [...where, '-X', 'check.crcs=true', '-f', '%o %R%s']);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  expect(await new Promise((done) => child.once('close', done))).toBe(0);
  const bytes = Buffer.concat(chunks);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const offset = bytes.toString('latin1', at, space);
    const length = bytes.readInt32BE(space + 1);
    const start = space + 1 + LENGTH_BYTES;
    const value = bytes.subarray(start, start + length);
    at = start + length;
    const parsed = parseRecord(null, value, new Map());
    expect(parsed, `offset ${offset}`).toBeDefined();
    if (parsed?.kind !== 'record') continue;
    const { producer, incarnation, seq } = parsed.id;
    lines.push(`${offset} ${producer}/${incarnation}/${seq}`);
  }
  return lines;
};

interface ReadLine {
  readonly t: string;
  readonly pass: string;
  readonly partition: number;
  readonly offset: number;
  readonly count?: number;
  readonly id?: { readonly producer: string; readonly incarnation?: number; readonly seq: number };
}

/** The same for what the run itself read in its full pass, from its own files. */
const told = async (directory: string, partition: number): Promise<readonly string[]> => {
  const { stdout } = await runProgram(['export', directory]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ReadLine);
  return lines
    .filter((line) => line.t === 'read' && line.pass === 'full' && line.partition === partition)
    .flatMap(({ offset, count = 1, id }) =>
      id === undefined
        ? []
        : Array.from({ length: count }, (_, index) => {
            const { producer, incarnation = 0, seq } = id;
            return `${offset + index} ${producer}/${incarnation}/${seq + index}`;
          }),
    );
};

describeSystem('kafka', () => {
  let folder: string;
  beforeAll(() => {
    kafkaLibs();
    needKcat();
    folder = mkdtempSync(join(tmpdir(), 'ackproof-cross-check-'));
  }, 10 * MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(RUNS)(
    'kcat finds in the topic of $scenario what the report says is there',
    async ({ scenario, exitCode }) => {
      const out = join(folder, scenario.replace('/', '-'));
      const target = join(scenarios, 'targets', 'process.yaml');
      const run = await runAndKeep(join(scenarios, 'kafka', `${scenario}.yaml`), target, out);
      let ended: Awaited<ReturnType<KeptRun['end']>> | undefined;
      try {
        const record = JSON.parse(readFileSync(join(run.directory, 'run.json'), 'utf8')) as RunRecord;
        const main = record.parts.at(-1);
        const topic = main?.topic ?? '';
        let records = 0;
        for (let partition = 0; partition < (main?.partitions ?? 0); partition++) {
          const byKcat = await dumped(run.bootstrap, topic, partition);
          const byUs = await told(run.directory, partition);
          expect(byUs.length, `partition ${partition}`).toBeGreaterThan(0);
          expect([...byUs].sort()).toEqual([...byKcat].sort());
          records += byKcat.length;
        }
        process.stderr.write(`CROSS-CHECK ${scenario}: ${records} records of ${topic} the same by kcat\n`);
      } finally {
        ended = await run.end();
      }
      expect(ended.exitCode, ended.said).toBe(exitCode);
    },
    6 * MINUTES,
  );
});
