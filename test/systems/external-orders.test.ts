// Orders to a cluster of somebody else's that wants TLS and a login: given with the rights that `plan` prints and none else, refused
// where its file does not allow them, and taken back by another process where the run is killed amid an election, once with its
// watchdog left and once with nobody. The journal names the password and never holds it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { JournalLine } from '../../src/faults/fault.ts';
import { parseJournal } from '../../src/faults/journal.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { fetchMetadata } from '../../src/wire/evidence-calls.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { grantRights, plannedRights, revokeRight } from './kafka/rights.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka } from './kafka/secure-kafka.ts';

const LIMIT = { deadlineMs: 30_000 };
const PATIENCE_MS = 90_000;

const PAUSE = `#!/bin/sh
pid=$(cat "pid-$2")
state() { sed 's/.*) //' "/proc/$pid/stat" | cut -c1; }
case $1 in
  stop) kill -STOP "$pid" && test -n "$TOKEN" ;;
  is-stopped) test "$(state)" = T && echo "process $pid of broker $2 is stopped, said with $TOKEN" ;;
  go) test -n "$TOKEN" && kill -CONT "$pid" ;;
  is-going) test "$(state)" != T ;;
esac
`;

const PAUSED = (lastsSeconds: number): string => `apiVersion: ackproof/v1
name: paused
claim: Every acknowledged record is read back when a leader stands still for a while.
target: paused-target.yaml
contract: { acks: all }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  rate: 200/s
  record: { size: 256B, batch: 10 }
  attemptTimeout: 10s
  duration: ${lastsSeconds + 12}s
faults:
  - { fault: process-pause, victim: { leaderOf: orders/0 }, at: 1s, duration: ${lastsSeconds}s }
control: false
`;

const BRIEF_ELECTION = `apiVersion: ackproof/v1
name: brief
claim: Every acknowledged record is read back when another leader is elected.
target: drill.yaml
contract: { acks: all }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  rate: 200/s
  record: { size: 256B, batch: 10 }
  duration: 12s
faults:
  - fault: leader-election
    victim: { leaderOf: orders/0 }
    at: 1s
    duration: 5s
    params: { stableFor: 1s }
control: false
`;

describeSystem('kafka', () => {
  let kafka: SecureKafka;
  let client: ClusterClient;

  const writeTarget = (
    name: string,
    user: string,
    password: string,
    allowed: string,
    more: readonly string[] = [],
  ): void => {
    const servers = kafka.cluster.serversOf('SECURE').map((address) => `"${address}"`);
    const lines = [
      'apiVersion: ackproof/v1',
      `name: ${name}`,
      'kind: external',
      'profile: apache-kafka',
      `bootstrapServers: [${servers.join(', ')}]`,
      'security:',
      '  protocol: SASL_SSL',
      '  tls: { ca: { file: ca.pem } }',
      `  sasl: { mechanism: SCRAM-SHA-512, username: ${user}, password: { env: ${password} } }`,
      allowed,
      ...more,
    ];
    writeFileSync(join(kafka.folder, `${name}.yaml`), `${lines.join('\n')}\n`);
  };

  beforeAll(async () => {
    kafka = await startSecureKafka(3);
    const bootstrap = kafka.cluster.bootstrapServers.map((address) => {
      const [host = '', port] = address.split(':');
      return { host, port: Number(port) };
    });
    client = new ClusterClient({ bootstrap, clientId: 'ackproof-systems' });
    writeTarget('shared', 'admin', 'ADMIN_PASSWORD', 'allowFaults: [leader-election]');
    writeTarget('drill', 'drill', 'DRILL_PASSWORD', 'allowFaults: [leader-election, broker-degrade]');
    writeTarget('forbidden', 'drill', 'DRILL_PASSWORD', 'allowFaults: [broker-degrade]');
    writeFileSync(join(kafka.folder, 'brief.yaml'), BRIEF_ELECTION);
    const scenario = [
      'apiVersion: ackproof/v1',
      'name: orders',
      'claim: Every acknowledged record is read back when another leader is elected.',
      'target: shared.yaml',
      'contract: { acks: all }',
      'workload:',
      '  topic: { name: orders, partitions: 2, replicationFactor: 3 }',
      '  rate: 200/s',
      '  record: { size: 256B, batch: 10 }',
      '  duration: 60s',
      'faults:',
      '  - fault: leader-election',
      '    victim: { leaderOf: orders/0 }',
      '    at: 1s',
      '    duration: 50s',
      '    params: { stableFor: 1s }',
      'control: false',
    ];
    writeFileSync(join(kafka.folder, 'orders.yaml'), `${scenario.join('\n')}\n`);
  });
  afterAll(async () => {
    client.close();
    await kafka[Symbol.asyncDispose]();
  });

  const env = (home: string, password: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    mkdirSync(home, { recursive: true });
    return { XDG_STATE_HOME: home, ...password };
  };
  const SECRET = { ADMIN_PASSWORD: PASSWORDS.admin };

  const edgesOf = (folder: string): { readonly text: string; readonly edges: readonly JournalLine[] } => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = names.find((name) => name.endsWith('main/journal.ndjson') || name.endsWith('journal.ndjson'));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    return { text, edges: text === '' ? [] : parseJournal(text, 'journal').edges };
  };

  /** Looks until the journal has the edge. */
  const untilEdge = async (folder: string, wanted: (edge: JournalLine) => boolean): Promise<void> => {
    const until = systemClock.now() + PATIENCE_MS;
    while (!edgesOf(folder).edges.some(wanted)) {
      if (systemClock.now() > until) throw new Error(`The journal is ${edgesOf(folder).text}`);
      await systemClock.sleep(100);
    }
  };

  /** Starts a run and kills it as soon as its election is confirmed; with its watchdog where nobody is to be left. */
  const killAmid = async (
    name: string,
    andWatchdog: boolean,
    file = join(kafka.folder, 'orders.yaml'),
    secrets: Readonly<Record<string, string>> = SECRET,
  ): Promise<{ readonly folder: string; readonly home: string }> => {
    const [folder, home] = [join(kafka.folder, `runs-${name}`), join(kafka.folder, `home-${name}`)];
    mkdirSync(folder);
    const run = startProgram(['run', file, '--out', folder], env(home, secrets));
    let said = '';
    for (const stream of [run.stdout, run.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    const ended = new Promise((resolve) => run.once('close', resolve));
    await untilEdge(folder, ({ edge }) => edge === 'confirmed').catch((cause: unknown) => {
      throw new Error(said, { cause });
    });
    if (andWatchdog) for (const pid of watchdogsOf(folder)) process.kill(pid, 'SIGKILL');
    run.kill('SIGKILL');
    await ended;
    return { folder, home };
  };

  const watchdogsOf = (folder: string): readonly number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          return command.includes('watchdog-program') && command.includes(folder);
        } catch {
          return false;
        }
      })
      .map(Number);

  /** The undo of the journal: replicas as they were, and the canary's topic away. */
  const expectRestored = async (folder: string): Promise<void> => {
    const { edges, text } = edgesOf(folder);
    expect(text).not.toContain(PASSWORDS.admin);
    expect(text).toContain('"env":"ADMIN_PASSWORD"');
    const steps = edges.find(({ edge }) => edge === 'intent')?.undo?.steps ?? [];
    expect(steps.map((step) => step.do)).toEqual(['delete-topic', 'restore-replicas']);
    const { topics } = await fetchMetadata(client, null, LIMIT);
    for (const step of steps) {
      if (step.do === 'delete-topic') expect(topics.map(({ name }) => name)).not.toContain(step.topic);
      if (step.do !== 'restore-replicas') continue;
      const rows = topics.find(({ name }) => name === step.topic)?.partitions ?? [];
      expect(rows.find(({ partition }) => partition === step.partition)?.replicas).toEqual(step.replicas);
    }
  };

  test('by the watchdog of a run that was killed', async () => {
    const { folder } = await killAmid('watched', false);
    await untilEdge(folder, ({ edge, by }) => edge === 'healed' && by === 'watchdog');
    await expectRestored(folder);
  }, 200_000);

  test('by heal, where run and watchdog were killed, once the password is there', async () => {
    const { folder, home } = await killAmid('alone', true);
    const without = await runProgram(['heal', '--all'], env(home, {}));
    expect(without.exitCode).not.toBe(0);
    expect(without.stdout + without.stderr).toContain('the environment variable ADMIN_PASSWORD is not set');
    const healed = await runProgram(['heal', '--all'], env(home, SECRET));
    expect(healed.stdout + healed.stderr).toContain('healed');
    expect(healed.exitCode).toBe(0);
    await expectRestored(folder);
  }, 200_000);

  describe('faults by programs of the target file', () => {
    const secrets = { ADMIN_PASSWORD: PASSWORDS.admin, PAUSE_TOKEN: 'planted-pause-5511' };

    const stateOf = (pid: number): string =>
      /^\d+ \(.*\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';

    beforeAll(() => {
      const words = ['stop', 'is-stopped', 'go', 'is-going'].map((word) => `[./pause.sh, ${word}, "{broker}"]`);
      const [inject = '', confirm = '', heal = '', healed = ''] = words;
      writeTarget('paused-target', 'admin', 'ADMIN_PASSWORD', 'allowFaults: [process-pause]', [
        'commands:',
        '  process-pause:',
        ...Object.entries({ inject, confirm, heal, healed }).map(([step, argv]) => `    ${step}: ${argv}`),
        '    env: { TOKEN: { env: PAUSE_TOKEN } }',
      ]);
      writeFileSync(join(kafka.folder, 'pause.sh'), PAUSE, { mode: 0o755 });
      for (const node of [1, 2, 3]) writeFileSync(join(kafka.folder, `pid-${node}`), String(kafka.cluster.pidOf(node)));
    });

    test('are planned word by word, confirmed by what they print, and pass', async () => {
      const file = join(kafka.folder, 'paused.yaml');
      writeFileSync(file, PAUSED(4));
      const [out, home] = [join(kafka.folder, 'runs-paused'), join(kafka.folder, 'home-paused')];
      const plan = await runProgram(['plan', file], env(home, {}));
      expect(plan.stdout).toContain("    confirm ./pause.sh is-stopped '{broker}'\n");
      const run = await runProgram(['run', file, '--out', out], env(home, secrets));
      expect(run.stdout.split('\n')[0], run.stderr).toMatch(/^PASS/);
      const { edges, text } = edgesOf(out);
      expect(edges.map(({ edge }) => edge)).toEqual(['intent', 'applied', 'confirmed', 'healing', 'healed']);
      expect(text).toMatch(/process \d+ of broker [123] is stopped, said with \(secret\)/);
      expect(text + run.stdout + run.stderr + plan.stdout).not.toContain('planted-pause');
      expect([1, 2, 3].map((node) => stateOf(kafka.cluster.pidOf(node)))).not.toContain('T');
    }, 200_000);

    test('are taken back by the watchdog of a run that was killed', async () => {
      const file = join(kafka.folder, 'orders-paused.yaml');
      writeFileSync(file, PAUSED(60));
      const { folder } = await killAmid('paused-killed', false, file, secrets);
      await untilEdge(folder, ({ edge, by }) => edge === 'healed' && by === 'watchdog');
      expect(edgesOf(folder).text).not.toContain('planted-pause');
      expect([1, 2, 3].map((node) => stateOf(kafka.cluster.pidOf(node)))).not.toContain('T');
    }, 200_000);
  });

  /** Also those of runs that were killed. */
  const ownTopics = async (): Promise<readonly string[]> => {
    const { topics } = await fetchMetadata(client, null, LIMIT);
    return topics.map(({ name }) => name).filter((name) => name.includes('ackproof-'));
  };

  test('by a user who may do what plan says and nothing else; refused without any of it, or where the file does not allow it', async () => {
    const home = join(kafka.folder, 'home-drill');
    const out = join(kafka.folder, 'runs-drill');
    const secret = { DRILL_PASSWORD: PASSWORDS.drill };
    const file = join(kafka.folder, 'brief.yaml');
    const drill = async (target = 'drill') =>
      await runProgram(
        ['run', file, '--target', join(kafka.folder, `${target}.yaml`), '--out', out],
        env(home, secret),
      );

    const before = await ownTopics();
    const unallowed = await drill('forbidden');
    expect(unallowed.exitCode).toBe(65);
    expect(unallowed.stderr).toMatch(
      /^SCENARIO_FAULT_NOT_ALLOWED .*brief\.yaml:12:\d+ — leader-election changes a cluster .* Write allowFaults: \[broker-degrade, leader-election\] in its file/,
    );

    const plan = await runProgram(['plan', file], env(home, secret));
    const rights = plannedRights(plan.stdout);
    expect(rights).toHaveLength(4);
    await grantRights(kafka.cluster, rights);
    const passed = await drill();
    expect(passed.stdout.split('\n')[0], passed.stderr).toMatch(/^PASS/);
    expect(passed.exitCode).toBe(0);

    const refusal = async (operation: string, resource: string, words: RegExp): Promise<void> => {
      await revokeRight(kafka.cluster, rights, operation, resource);
      const refused = await drill();
      expect(refused.exitCode, refused.stdout + refused.stderr).toBe(69);
      const told = refused.stderr.split('\n').filter((line) => line.startsWith('ACCESS_REFUSED '));
      expect(told, refused.stderr).toEqual([expect.stringMatching(words)]);
      await grantRights(kafka.cluster, rights);
    };
    await refusal('Alter', '--cluster', /Alter on the cluster/);
    await refusal('Create', '__ackproof-canary-', /Create topics __ackproof-canary-/);
    expect(await ownTopics()).toEqual(before);
    expect(readdirSync(join(home, 'ackproof', 'runs'))).toEqual([]);
  }, 400_000);
});
