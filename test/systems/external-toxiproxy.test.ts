// A cluster of somebody else's behind a Toxiproxy of theirs: real Kafka whose brokers send clients to the proxies, and real
// Toxiproxy before it. Every fault of connections is performed through it and put back, and what does not map is refused.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { startTarget } from '../../src/targets/registry.ts';
import type { StartedTarget } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { createTopic, deleteTopic } from '../../src/wire/topic-calls.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from '../faults/run-on.ts';
import { startProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';
import { startToxiproxy, type ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';

const LINK_FAULTS = [
  'bandwidth-limit',
  'client-partition',
  'connection-reset',
  'network-latency',
  'request-loss',
  'response-loss',
];
/** What somebody else has put on one of the proxies, which is theirs. */
const THEIRS = {
  name: 'theirs',
  type: 'latency',
  stream: 'downstream',
  toxicity: 1,
  attributes: { latency: 1, jitter: 0 },
};
const PATIENCE_MS = 90_000;

describeSystem('toxiproxy', () => {
  let kafka: KafkaCluster;
  let toxiproxy: ToxiproxyServer;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ackproof-proxied-'));
    kafka = await startKafka(3, { listeners: { PROXIED: 'PLAINTEXT' }, proxied: ['PROXIED'], lines: [] });
    const upstreams = kafka.serversOf('PROXIED');
    const proxies = kafka.advertisedBy('PROXIED').map((address, index) => ({
      name: `kafka-${index + 1}`,
      listen: `0.0.0.0:${address.split(':')[1] ?? ''}`,
      upstream: upstreams[index] ?? '',
    }));
    toxiproxy = await startToxiproxy({ proxies });
    const made = await fetch(`${control()}/kafka-1/toxics`, { method: 'POST', body: JSON.stringify(THEIRS) });
    expect(made.status).toBe(200);
  });
  afterAll(async () => {
    await toxiproxy[Symbol.asyncDispose]();
    await kafka[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const control = (): string => `http://${toxiproxy.admin.host}:${toxiproxy.admin.port}/proxies`;
  const listed = async (): Promise<unknown> => await (await fetch(control())).json();

  const specWith = (more: object) =>
    targetSpecSchema.parse({
      apiVersion: 'ackproof/v1',
      kind: 'external',
      name: 'proxied',
      profile: 'apache-kafka',
      bootstrapServers: [...kafka.advertisedBy('PROXIED')],
      toxiproxy: `http://${toxiproxy.admin.host}:${toxiproxy.admin.port}`,
      allowFaults: LINK_FAULTS,
      ...more,
    });

  const startWith = async (more: object): Promise<StartedTarget> =>
    await startTarget(specWith(more), {
      runId: 'test',
      runDirectory: folder,
      defects: [],
      signal: AbortSignal.timeout(PATIENCE_MS),
    });

  describe('its faults of connections', () => {
    let target: StartedTarget;
    const client = (): ClusterClient =>
      new ClusterClient({ bootstrap: target.evidenceBootstrap, clientId: 'ackproof-systems' });

    beforeAll(async () => {
      target = await startWith({});
      const admin = client();
      const topic = { name: 'orders-real', partitions: 3, replicationFactor: 3, config: {} };
      await createTopic(admin, topic, { deadlineMs: 30_000 });
      admin.close();
    });
    afterAll(async () => {
      const admin = client();
      await deleteTopic(admin, 'orders-real', { deadlineMs: 30_000 });
      admin.close();
    });

    test('act on one proxy for each broker, and are looked at where the proxies lead to', () => {
      expect(target.can.links?.all.map(({ node, proxy, path }) => `${path} ${node} ${proxy}`)).toEqual([
        'client broker/1 kafka-1',
        'client broker/2 kafka-2',
        'client broker/3 kafka-3',
      ]);
      expect(target.brokers.map(({ direct }) => `${direct.host}:${direct.port}`)).toEqual(kafka.serversOf('PROXIED'));
      expect(target.description.fingerprint['evidence']).toBe('what the proxies lead to');
    });

    const leader = { victim: { leaderOf: 'orders/0' } };
    test.each([
      { fault: 'bandwidth-limit', victim: { broker: 1 }, params: { rate: '64KiB' } },
      { fault: 'client-partition', ...leader },
      { fault: 'client-partition', victim: { broker: 1 }, params: { mode: 'blackhole' } },
      { fault: 'connection-reset', ...leader },
      { fault: 'network-latency', ...leader, params: { latency: '1s' } },
      { fault: 'request-loss', ...leader },
      { fault: 'response-loss', victim: { broker: 1 } },
    ])('$fault is confirmed and healed, and every proxy is as before, field by field: $params', async (written) => {
      const before = await listed();
      const seen = await runUntil(target, written);
      expect(seen.outcome.reason).toBeUndefined();
      expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
      expect(await listed()).toEqual(before);
    });
  });

  test('a broker that sends its clients past the proxies is refused by its id and address', async () => {
    const past = await startWith({ bootstrapServers: [...kafka.bootstrapServers] }).catch((thrown: unknown) => thrown);
    expect(past).toMatchObject({ code: 'TARGET_MAPPING' });
    const [first] = kafka.bootstrapServers;
    expect(String(past)).toContain(`Broker 1 tells its clients to use ${first ?? ''}, and no proxy listens there`);
  });

  test('a run that is killed amid a fault is put back by its watchdog, and leaves no proxy changed', async () => {
    const out = join(folder, 'runs');
    const home = join(folder, 'home');
    for (const each of [out, home]) mkdirSync(each);
    const target = [
      'apiVersion: ackproof/v1',
      'kind: external',
      'name: proxied',
      'profile: apache-kafka',
      `bootstrapServers: [${kafka
        .advertisedBy('PROXIED')
        .map((address) => `"${address}"`)
        .join(', ')}]`,
      `toxiproxy: http://${toxiproxy.admin.host}:${toxiproxy.admin.port}`,
      'allowFaults: [network-latency]',
    ];
    writeFileSync(join(folder, 'proxied.yaml'), `${target.join('\n')}\n`);
    writeFileSync(join(folder, 'slow.yaml'), SLOW);
    const before = await listed();
    const run = startProgram(['run', join(folder, 'slow.yaml'), '--out', out], { XDG_STATE_HOME: home });
    let said = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise((resolve) => run.once('close', resolve));
    await untilJournal(out, '"edge":"confirmed"', () => said);
    expect(await listed()).not.toEqual(before);
    run.kill('SIGKILL');
    await ended;
    await untilJournal(out, '"edge":"healed"', () => said);
    expect(await listed()).toEqual(before);
    // The journal is written first.
    await vi.waitFor(() => expect(readdirSync(join(home, 'ackproof', 'runs'))).toEqual([]), { timeout: 10_000 });
  }, 200_000);
});

const SLOW = `apiVersion: ackproof/v1
name: slow
claim: Every acknowledged record is read back through a slow link.
target: proxied.yaml
contract: { acks: all }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  rate: 200/s
  record: { size: 256B, batch: 10 }
  duration: 60s
faults:
  - fault: network-latency
    victim: { leaderOf: orders/0 }
    at: 1s
    duration: 50s
    params: { latency: 300ms }
control: false
`;

/** Looks until the journal of the run says so. */
const untilJournal = async (out: string, text: string, said: () => string): Promise<void> => {
  const until = systemClock.now() + PATIENCE_MS;
  const journal = (): string => {
    const file = readdirSync(out, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('journal.ndjson'),
    );
    return file === undefined ? '' : readFileSync(join(out, file), 'utf8');
  };
  while (!journal().includes(text)) {
    if (systemClock.now() > until) throw new Error(`${journal()}\n${said()}`);
    await systemClock.sleep(100);
  }
};
