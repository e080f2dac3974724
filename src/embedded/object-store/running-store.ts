// The whole store, started and stopped: the objects, the request log, one server for each listener and one for questions about
// them. The program and the tests both use this.
import type { Server } from 'node:http';
import { systemClock } from '../../clock.ts';
import { listenOn } from '../json-over-http.ts';
import { createAdminServer } from './admin-server.ts';
import { Counters } from './counters.ts';
import { RequestLog } from './request-log.ts';
import { ObjectStore } from './store.ts';
import type { StoreConfig } from './store-config.ts';
import { createStoreServer, type ServerParts } from './store-server.ts';

const FLUSH_EVERY_MS = 40;
const REQUESTS_IN_MEMORY = 50_000;

export interface RunningStore {
  /** Listener name → port. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly adminPort: number;
  readonly objectCount: number;
  readonly stop: () => Promise<void>;
}

const close = async (server: Server): Promise<void> => {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
};

/** `onTrouble` is told of faults of the store itself. Throws EnvironmentError when a port is taken, and the file system's errors. */
export const startStore = async (
  config: StoreConfig,
  onTrouble: (text: string) => void = () => undefined,
): Promise<RunningStore> => {
  const store = await ObjectStore.open(config);
  for (const bucket of config.buckets) await store.createBucket(bucket);
  const counters = new Counters(config.listeners.map(({ name }) => name));
  const log = new RequestLog({
    ...(config.requestLog === undefined ? {} : { path: config.requestLog }),
    flushEveryMs: FLUSH_EVERY_MS,
    keep: REQUESTS_IN_MEMORY,
    onTrouble,
  });
  const parts: ServerParts = {
    store,
    log,
    counters,
    clock: systemClock,
    limits: config,
    onTrouble,
    ...(config.credentials === undefined ? {} : { credentials: config.credentials }),
  };
  const servers: Server[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(close));
    log.close();
    store.close();
  };
  const listen = async (server: Server, port: number): Promise<number> => {
    servers.push(server);
    return await listenOn(server, { host: config.host, port });
  };
  try {
    const listeners: Record<string, number> = {};
    for (const { name, port } of config.listeners) listeners[name] = await listen(createStoreServer(parts, name), port);
    const adminPort = await listen(createAdminServer(log, counters, systemClock.wall()), config.adminPort);
    return { listeners, adminPort, objectCount: store.objectCount, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
