// A real Apache Kafka for the tests: combined KRaft nodes as plain Java processes, from jars that Maven brings. Nothing is
// mocked; what it takes is Java and Maven, and a missing one fails with how to get it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../../../src/targets/free-ports.ts';

const here = import.meta.dirname;

/** What a cluster has beside its plain listener. */
export interface KafkaExtras {
  /** More listeners, by name, with their protocol. */
  readonly listeners: Readonly<Record<string, string>>;
  /** More lines of server.properties, the same on every node. */
  readonly lines: readonly string[];
  /** Those of `listeners` that send clients to another port, where the test puts something in between. */
  readonly proxied?: readonly string[];
}

export interface KafkaCluster extends AsyncDisposable {
  readonly bootstrapServers: readonly string[];
  /** The addresses of one of the extra listeners. */
  serversOf(listener: string): readonly string[];
  /** Where one of them sends clients, in the order of the brokers. */
  advertisedBy(listener: string): readonly string[];
  /** Runs one of Kafka's own tools by its class and returns what it said. */
  tool(mainClass: string, words: readonly string[]): Promise<string>;
  readonly libs: string;
  /** Ends one broker at once, as a crash would. */
  kill(node: number): Promise<void>;
  pidOf(node: number): number;
}

const uuid = (): string => randomBytes(16).toString('base64url');

/** The folder with Kafka's jars; fetched on first use. */
export const kafkaLibs = (): string => {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
  } catch {
    throw new Error('Java is needed for this test: apt-get install -y openjdk-17-jre-headless maven');
  }
  const home = execFileSync('bash', [resolve(here, '../../../docker/kafka/fetch.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return join(home.trim(), 'libs');
};

interface NodePorts {
  readonly client: number;
  readonly controller: number;
  readonly extra: Readonly<Record<string, number>>;
  /** Where those of `extra` send clients, if elsewhere. */
  readonly advertised: Readonly<Record<string, number>>;
}

const properties = (id: number, nodes: readonly NodePorts[], logDir: string, extras: KafkaExtras): string => {
  const { client, controller, extra, advertised } = nodes[id - 1]!;
  const more = Object.entries(extra).map(([name, port]) => `,${name}://127.0.0.1:${port}`);
  const told = Object.entries({ ...extra, ...advertised }).map(([name, port]) => `,${name}://127.0.0.1:${port}`);
  const protocols = Object.entries(extras.listeners).map(([name, protocol]) => `,${name}:${protocol}`);
  const replicas = Math.min(3, nodes.length);
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${nodes.map((node, index) => `${index + 1}@127.0.0.1:${node.controller}`).join(',')}`,
    `listeners=CLIENT://127.0.0.1:${client},CONTROLLER://127.0.0.1:${controller}${more.join('')}`,
    `advertised.listeners=CLIENT://127.0.0.1:${client}${told.join('')}`,
    `listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT${protocols.join('')}`,
    'inter.broker.listener.name=CLIENT',
    'controller.listener.names=CONTROLLER',
    `log.dirs=${logDir}`,
    'auto.create.topics.enable=false',
    `offsets.topic.replication.factor=${replicas}`,
    'offsets.topic.num.partitions=3',
    'group.initial.rebalance.delay.ms=0',
    'num.network.threads=2',
    'num.io.threads=2',
    'log.cleaner.dedupe.buffer.size=4194304',
    ...extras.lines,
    '',
  ].join('\n');
};

const waitUntilStarted = async (log: string, child: ChildProcess): Promise<void> => {
  for (let waitedMs = 0; waitedMs < 90_000; waitedMs += 200) {
    if (readFileSync(log, 'utf8').includes('Kafka Server started')) return;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Kafka did not start:\n${readFileSync(log, 'utf8').slice(-3000)}`);
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
};

const NO_EXTRAS: KafkaExtras = { listeners: {}, lines: [] };

const runTool = async (libs: string, mainClass: string, words: readonly string[]): Promise<string> => {
  const child = spawn('java', ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', join(libs, '*'), mainClass, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const take = (chunk: Buffer): void => {
    said += chunk.toString('utf8');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exitCode = await new Promise<number | null>((done) => child.once('close', done));
  if (exitCode !== 0) throw new Error(`${mainClass} ended with ${String(exitCode)}:\n${said}`);
  return said;
};

/** Starts `count` combined nodes and waits until each says that it started. */
export const startKafka = async (count: number, extras: KafkaExtras = NO_EXTRAS): Promise<KafkaCluster> => {
  const libs = kafkaLibs();
  const directory = mkdtempSync(join(tmpdir(), 'ackproof-kafka-'));
  const names = Object.keys(extras.listeners);
  const proxied = extras.proxied ?? [];
  const needed = 2 + names.length + proxied.length;
  const ports = [...(await freePorts('127.0.0.1', needed * count))];
  const nodes = Array.from({ length: count }, (): NodePorts => {
    const [client = 0, controller = 0, ...more] = ports.splice(0, needed);
    const take = (listeners: readonly string[]) =>
      Object.fromEntries(listeners.map((name) => [name, more.shift() ?? 0]));
    return { client, controller, extra: take(names), advertised: take(proxied) };
  });
  const clusterId = uuid();
  const children: { child: ChildProcess; log: string }[] = [];
  const stop = async (): Promise<void> => {
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all(children.map(async ({ child }) => await ended(child)));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (let id = 1; id <= count; id++) children.push(startNode(id, nodes, directory, clusterId, libs, extras));
    await Promise.all(children.map(async ({ child, log }) => await waitUntilStarted(log, child)));
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return {
    bootstrapServers: nodes.map(({ client }) => `127.0.0.1:${client}`),
    serversOf: (listener) => nodes.map(({ extra }) => `127.0.0.1:${extra[listener] ?? 0}`),
    advertisedBy: (listener) =>
      nodes.map(({ extra, advertised }) => `127.0.0.1:${advertised[listener] ?? extra[listener] ?? 0}`),
    tool: async (mainClass, words) => await runTool(libs, mainClass, words),
    libs,
    pidOf: (node) => children[node - 1]?.child.pid ?? 0,
    kill: async (node) => {
      const { child } = children[node - 1]!;
      child.kill('SIGKILL');
      await ended(child);
    },
    [Symbol.asyncDispose]: stop,
  };
};

const startNode = (
  id: number,
  nodes: readonly NodePorts[],
  directory: string,
  clusterId: string,
  libs: string,
  extras: KafkaExtras,
): { child: ChildProcess; log: string } => {
  const logDir = join(directory, `node-${id}`, 'data');
  mkdirSync(logDir, { recursive: true });
  const meta = ['version=1', `cluster.id=${clusterId}`, `node.id=${id}`, `directory.id=${uuid()}`, ''].join('\n');
  writeFileSync(join(logDir, 'meta.properties'), meta);
  const config = join(directory, `node-${id}`, 'server.properties');
  writeFileSync(config, properties(id, nodes, logDir, extras));
  const log = join(directory, `node-${id}`, 'kafka.log');
  const output = openSync(log, 'w');
  const child = spawn(
    'java',
    [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      `-Dlog4j2.configurationFile=${join(here, 'log4j2.properties')}`,
      '-cp',
      join(libs, '*'),
      'kafka.Kafka',
      config,
    ],
    { stdio: ['ignore', output, output] },
  );
  closeSync(output);
  return { child, log };
};
