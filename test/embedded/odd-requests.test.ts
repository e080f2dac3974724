// Requests that are well formed and make no sense: any value in any field. A broker answers each of them, or lets it wait as
// it asks to; it never ends a connection because of one, let alone itself.
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isServed } from '../../src/embedded/broker/handler.ts';
import { messageTable } from '../../src/wire/message-table.ts';
import {
  type ApiName,
  decodeResponseFrame,
  encodeRequestFrame,
  FrameSplitter,
  type RequestInput,
} from '../../src/wire/protocol.ts';
import { bodyArbitrary } from '../support/body-arbitrary.ts';
import { createTopic, type RunningCluster, startCluster } from './running-cluster.ts';

const TOPIC = 'odd';
const BODIES_PER_VERSION = 6;
const WAIT_MS = 700;

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await startCluster();
  await createTopic(cluster, TOPIC, 1);
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

type End = 'answered' | 'waits' | 'closed';

/** Sends one request on a connection of its own. Throws when the answer cannot be decoded. */
const ask = async (api: ApiName, version: number, body: unknown): Promise<End> => {
  const request = encodeRequestFrame(
    api,
    version,
    { correlationId: 5, clientId: 'odd' },
    body as RequestInput<ApiName>,
  );
  const socket = connect(cluster.target.brokers[0]!.direct);
  const splitter = new FrameSplitter();
  const frame = await new Promise<Buffer | End>((resolve) => {
    const timer = setTimeout(() => resolve('waits'), WAIT_MS);
    socket.on('data', (chunk: Buffer) => {
      const [first] = splitter.push(chunk);
      if (first !== undefined) resolve(first);
    });
    socket.on('close', () => resolve('closed'));
    socket.on('error', () => resolve('closed'));
    socket.on('close', () => clearTimeout(timer));
    socket.write(request);
  });
  socket.destroy();
  if (typeof frame === 'string') return frame;
  expect(decodeResponseFrame(api, version, frame).correlationId).toBe(5);
  return 'answered';
};

/** The same content about a partition and a group that exist, so that it gets past the first check. */
const aimed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(aimed);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  const known: Readonly<Record<string, unknown>> = {
    name: TOPIC,
    topic: TOPIC,
    partitionIndex: 0,
    partition: 0,
    index: 0,
    partitionIndexes: [0],
    groupId: 'odd-group',
    transactionalId: null,
    acks: -1,
    protocolType: 'consumer',
    sessionTimeoutMs: 10_000,
  };
  const entries = Object.entries(value).map(([key, each]) => [key, key in known ? known[key] : aimed(each)]);
  return Object.fromEntries(entries) as unknown;
};

/** What is asked to wait, or to get no answer. */
const mayWait: ReadonlySet<ApiName> = new Set(['Fetch', 'JoinGroup', 'SyncGroup']);

it.each(messageTable.filter((row) => isServed(row.name)).map((row) => [row.name, row] as const))(
  '%s of any content',
  async (name, row) => {
    const ends = new Map<End, number>();
    for (let version = row.minVersion; version <= row.maxVersion; version++) {
      const bodies = fc.sample(bodyArbitrary(row.request, version), { numRuns: BODIES_PER_VERSION, seed: version });
      const isSilent = (body: Readonly<Record<string, unknown>>): boolean => name === 'Produce' && body['acks'] === 0;
      // Deleting the topic that others are aimed at would take the ground from under them.
      const aimedBodies = name === 'DeleteTopics' ? [] : bodies.map(aimed);
      const asked = [...bodies.filter((body) => !isSilent(body)), ...aimedBodies];
      for (const end of await Promise.all(asked.map(async (body) => await ask(name, version, body)))) {
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    }
    expect(ends.get('closed')).toBeUndefined();
    expect(ends.get('answered')).toBeGreaterThan(0);
    if (!mayWait.has(name)) expect(ends.get('waits')).toBeUndefined();
    expect(await cluster.can.processes.state('broker/1')).toBe('running');
  },
);
