import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster } from '../../test/support/fake-cluster.ts';
import { Connection } from './connection.ts';
import { encodeResponseFrame, WireError } from './protocol.ts';

let cluster: FakeCluster;
const opened: Connection[] = [];

const open = async (extra: { maxInFlight?: number; connectTimeoutMs?: number } = {}): Promise<Connection> => {
  const [address] = cluster.bootstrap;
  const connection = await Connection.open({ ...address!, clientId: 'test', connectTimeoutMs: 5000, ...extra });
  opened.push(connection);
  return connection;
};

const failure = async (promise: Promise<unknown>): Promise<WireError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
};

beforeEach(async () => {
  cluster = await FakeCluster.start();
});

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  await cluster.stop();
});

const metadata = { topics: [] };

describe('opening a connection', () => {
  it('speaks the highest version that both sides know', async () => {
    cluster.versions.set('Metadata', [2, 7]);
    const connection = await open();
    expect(connection.versionOf('Metadata')).toBe(7);
    await connection.request('Metadata', metadata, { deadlineMs: 5000 });
    expect(cluster.brokers[0]!.seen.at(-1)).toMatchObject({ api: 'Metadata', version: 7, clientId: 'test' });
  });

  it('asks in version 0 when the broker does not know version 3', async () => {
    cluster.hook = (request) =>
      request.api === 'ApiVersions' && request.version > 0
        ? { raw: cluster.refuseApiVersions(request.correlationId) }
        : 'serve';
    const connection = await open();
    expect(connection.versionOf('Metadata')).toBe(13);
  });

  it('asks in version 0 on a new connection when the broker hangs up over version 3', async () => {
    cluster.hook = (request) => (request.api === 'ApiVersions' && request.version > 0 ? 'hang-up' : 'serve');
    await open();
    expect(cluster.brokers[0]!.seen.map(({ version }) => version)).toEqual([3, 0]);
  });

  it('refuses an API that the broker lacks, before anything is sent', async () => {
    cluster.versions.set('Fetch', [13, 17]);
    const connection = await open();
    const error = await failure(
      connection.request('Fetch', { maxWaitMs: 0, minBytes: 0, topics: [] }, { deadlineMs: 5000 }),
    );
    expect(error).toMatchObject({ code: 'WIRE_UNSUPPORTED_VERSION', sent: false });
  });

  it('gives up at the deadline when the broker does not answer', async () => {
    cluster.hook = () => 'ignore';
    expect(await failure(open({ connectTimeoutMs: 60 }))).toMatchObject({ code: 'WIRE_DEADLINE' });
  });

  it('says that nothing was sent when nobody listens', async () => {
    const [address] = cluster.bootstrap;
    await cluster.stop();
    const error = await failure(Connection.open({ ...address!, clientId: 'test', connectTimeoutMs: 500 }));
    expect(error).toMatchObject({ code: 'WIRE_CONNECT_FAILED', sent: false });
    cluster = await FakeCluster.start();
  });
});

describe('requests on a connection', () => {
  it('are pipelined and answered in order', async () => {
    const connection = await open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => await connection.request('Metadata', metadata, { deadlineMs: 5000 })),
    );
    expect(answers.map(({ clusterId }) => clusterId)).toEqual(Array.from({ length: 20 }, () => 'fake'));
  });

  it('wait their turn above the limit in flight', async () => {
    const connection = await open({ maxInFlight: 2 });
    cluster.hook = () => 'ignore';
    const seenBefore = cluster.brokers[0]!.seen.length;
    const results = Promise.allSettled(
      Array.from({ length: 5 }, async () => await connection.request('Metadata', metadata, { deadlineMs: 300 })),
    );
    const errors = (await results).map((result) => (result as PromiseRejectedResult).reason as WireError);
    expect(cluster.brokers[0]!.seen.length - seenBefore).toBe(2);
    expect(errors.map(({ sent }) => sent)).toEqual([true, true, false, false, false]);
  });

  it('end the connection when the answer does not come in time, and say what was awaited', async () => {
    const connection = await open();
    cluster.hook = () => 'ignore';
    const error = await failure(connection.request('Metadata', metadata, { deadlineMs: 50 }));
    expect(error).toMatchObject({ code: 'WIRE_DEADLINE', sent: true });
    expect(error.message).toMatch(/Metadata v13 .* sent, no answer yet/);
    expect(connection.closed).toBe(true);
    const next = await failure(connection.request('Metadata', metadata, { deadlineMs: 50 }));
    expect(next).toMatchObject({ code: 'WIRE_CLOSED', sent: false });
  });

  it('end the connection when they are cancelled after they were sent', async () => {
    const connection = await open();
    cluster.hook = () => 'ignore';
    const abort = new AbortController();
    const pending = failure(connection.request('Metadata', metadata, { deadlineMs: 5000, signal: abort.signal }));
    abort.abort();
    expect(await pending).toMatchObject({ code: 'WIRE_CANCELLED', sent: true });
    expect(connection.closed).toBe(true);
  });

  it('never take an answer that carries another correlation id', async () => {
    const connection = await open();
    cluster.hook = (request) => ({
      raw: encodeResponseFrame('Metadata', 13, request.correlationId + 1, { brokers: [], topics: [] }),
    });
    const error = await failure(connection.request('Metadata', metadata, { deadlineMs: 5000 }));
    expect(error.code).toBe('WIRE_CORRELATION_MISMATCH');
    expect(connection.closed).toBe(true);
  });

  it('fail and end the connection over bytes that are not the protocol', async () => {
    const connection = await open();
    cluster.hook = () => ({ raw: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') });
    const error = await failure(connection.request('Metadata', metadata, { deadlineMs: 5000 }));
    expect(error.code).toBe('WIRE_FRAME_LENGTH');
    expect(connection.closed).toBe(true);
  });

  it('fail with the end of the connection when the broker hangs up', async () => {
    const connection = await open();
    cluster.hook = () => 'hang-up';
    const error = await failure(connection.request('Metadata', metadata, { deadlineMs: 5000 }));
    expect(error).toMatchObject({ code: 'WIRE_CLOSED', sent: true });
  });
});
