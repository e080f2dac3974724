// The S3 fault proxy in front of the model's object store, with a listener for each broker and path, and the requests that brokers
// would send through them: a fault by rules is proved by the cluster's own requests, so there must be some while a rule is in force.
import { systemClock } from '../../src/clock.ts';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import type { Address, NodeId, StoreEndpoint } from '../../src/targets/target.ts';

const HOST = '127.0.0.1';
const ASK_EVERY_MS = 100;
const PATIENCE_MS = 250;
const BODY = 'record '.repeat(300);

export interface ModelStoreProxy extends AsyncDisposable {
  readonly proxy: RunningS3Proxy;
  /** Without what stands in front of them. */
  readonly listeners: readonly (Omit<StoreEndpoint, 'listen'> & { readonly at: Address })[];
}

export interface StoreProxyOptions {
  readonly store: Address;
  readonly bucket: string;
  readonly nodes: readonly NodeId[];
}

const nameOf = (path: StoreEndpoint['path'], node: NodeId): string => `${path}-${node.replace('/', '-')}`;

/** One request of a broker; whatever becomes of it. */
const ask = async (url: string, init: RequestInit = {}): Promise<void> => {
  const late = AbortSignal.timeout(PATIENCE_MS);
  await fetch(url, { ...init, signal: late })
    .then(async (answer) => await answer.arrayBuffer())
    .catch(() => undefined);
};

/** As a target tells them, with what stands in front of each listener. */
export const endpointsOf = (
  { listeners }: ModelStoreProxy,
  listenOf: (listener: string) => Address,
): readonly StoreEndpoint[] =>
  listeners.map(({ path, node, admin, listener }) => ({ path, node, admin, listener, listen: listenOf(listener) }));

/** Starts it; dispose it before the store. */
export const startModelStoreProxy = async ({ store, bucket, nodes }: StoreProxyOptions): Promise<ModelStoreProxy> => {
  const planned = (['s3-data', 's3-wal'] as const).flatMap((path) =>
    nodes.map((node) => ({ path, node, listener: nameOf(path, node) })),
  );
  const upstream = { protocol: 'http', ...store } as const;
  const proxy = await startS3Proxy({ listeners: planned.map(({ listener: name }) => ({ name, upstream })), admin: {} });
  const admin = proxy.admin ?? { host: HOST, port: 0 };
  const listeners = planned.map((each) => ({ ...each, admin, at: proxy.listeners[each.listener] ?? admin }));
  const ended = new AbortController();
  const load = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await systemClock.sleep(ASK_EVERY_MS, ended.signal).catch(() => undefined);
      const named = new Set((await proxy.control.rules()).map(({ match }) => match?.listener));
      const hit = listeners.filter(({ listener }) => named.has(listener));
      await Promise.all(
        hit.map(async ({ at, listener }) => {
          const url = `http://${at.host}:${at.port}/${bucket}/data/load-${listener}`;
          await ask(url, { method: 'PUT', body: BODY });
          await ask(url);
        }),
      );
    }
  };
  const loading = load();
  return {
    proxy,
    listeners,
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await proxy.stop();
      await loading;
    },
  };
};
