import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { ClusterView } from '../cluster-view.ts';
import { KAFKA } from '../error-codes.ts';
import { type JsonRoutes, type JsonServer, startJsonServer } from '../json-over-http.ts';
import { ControllerLink } from './controller-link.ts';

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };
const endpoint = { host: '127.0.0.1', port: 1 };
const viewOf = (version: number): ClusterView => ({
  version,
  clusterId: 'c',
  controllerId: 1,
  brokers: [],
  topics: [],
});

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const serve = async (routes: JsonRoutes, port = 0): Promise<JsonServer> => {
  const server = await startJsonServer({ host: '127.0.0.1', port }, routes);
  open.push(async () => await server.close());
  return server;
};

const linkTo = (port: number): { readonly link: ControllerLink; readonly seen: number[] } => {
  const seen: number[] = [];
  const link = new ControllerLink({
    brokerId: 1,
    incarnation: 'i',
    controller: { host: '127.0.0.1', port },
    heartbeatMs: 20,
    // Half of it is a heartbeat's deadline: far more than a busy machine takes to answer.
    sessionTimeoutMs: 60_000,
    clock: systemClock,
    log: silent,
    onView: (view) => seen.push(view.version),
  });
  open.unshift(() => link.close());
  return { link, seen };
};

/** A controller that answers heartbeats with these, one after another, and then with nothing new. */
const scripted = (answers: readonly unknown[], calls: string[] = []): JsonRoutes => {
  const left = [...answers];
  return {
    'POST /register': () => {
      calls.push('register');
      return { body: viewOf(1) };
    },
    'POST /heartbeat': async () => {
      calls.push('heartbeat');
      await systemClock.sleep(5);
      return { body: left.shift() ?? { known: true } };
    },
    'POST /resign': () => {
      calls.push('resign');
      return { body: viewOf(9) };
    },
    'POST /create-topic': () => ({ body: { code: KAFKA.NONE, result: { view: viewOf(7) } } }),
    'POST /delete-topic': () => ({ body: { code: KAFKA.UNKNOWN_TOPIC_OR_PARTITION, message: 'There is none.' } }),
  };
};

describe('the link to the controller', () => {
  it('takes views in order and never an older one', async () => {
    const answers = [
      { known: true, view: viewOf(3) },
      { known: true, view: viewOf(2) },
      { known: true, view: viewOf(4) },
    ];
    const { port } = await serve(scripted(answers));
    const { link, seen } = linkTo(port);
    await link.start(endpoint, endpoint, 1000);
    await expect.poll(() => seen).toEqual([1, 3, 4]);
    expect(link.view.version).toBe(4);
  });

  it('registers again when the controller does not know it any more', async () => {
    const calls: string[] = [];
    const { port } = await serve(scripted([{ known: true }, { known: false }], calls));
    const { link } = linkTo(port);
    await link.start(endpoint, endpoint, 1000);
    await expect.poll(() => calls.filter((call) => call === 'register').length).toBe(2);
  });

  it('keeps the last view while the controller is away, counts its silence, and finds it again', async () => {
    const first = await serve(scripted([{ known: true, view: viewOf(5) }]));
    const { link } = linkTo(first.port);
    await link.start(endpoint, endpoint, 1000);
    await expect.poll(() => link.view.version).toBe(5);
    await first.close();
    await expect.poll(() => link.silentMs).toBeGreaterThan(150);
    expect(link.view.version).toBe(5);
    await serve(scripted([{ known: true, view: viewOf(6) }]), first.port);
    await expect.poll(() => link.view.version).toBe(6);
    await expect.poll(() => link.silentMs).toBeLessThan(150);
  });

  it('says what it waited for when nobody lets it register', async () => {
    const server = await serve({});
    await server.close();
    await expect(linkTo(server.port).link.start(endpoint, endpoint, 200)).rejects.toMatchObject({
      code: 'DEADLINE_PASSED',
    });
  });

  it('knows what it changed at once, and passes refusals on with their code', async () => {
    const { port } = await serve(scripted([]));
    const { link } = linkTo(port);
    await link.start(endpoint, endpoint, 1000);
    await link.createTopic({ name: 't', partitions: 1, replicationFactor: 1, configs: {} }, false);
    expect(link.view.version).toBe(7);
    await expect(link.deleteTopic('t')).rejects.toMatchObject({ code: KAFKA.UNKNOWN_TOPIC_OR_PARTITION });
  });

  it('is told of its successors when it resigns, and does not register again after that', async () => {
    const calls: string[] = [];
    const { port } = await serve(scripted([], calls));
    const { link, seen } = linkTo(port);
    await link.start(endpoint, endpoint, 1000);
    await link.resign(1000);
    expect(seen.at(-1)).toBe(9);
    const count = calls.length;
    await systemClock.sleep(100);
    expect(calls.slice(count).filter((call) => call === 'register')).toEqual([]);
  });
});
