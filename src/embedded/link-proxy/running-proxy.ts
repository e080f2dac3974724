// The link proxy, started and stopped: the proxies and their API. The program and the tests both use this.
import { systemClock } from '../../clock.ts';
import { InputError } from '../../errors.ts';
import { listenOn } from '../json-over-http.ts';
import { createProxyApi } from './proxy-api.ts';
import { ProxySet } from './proxy-set.ts';

export interface ProxyConfig {
  /** Address of the API; default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly apiPort?: number;
  /** Proxies to begin with, as POST /populate takes them. */
  readonly proxies?: readonly unknown[];
  /** Decides jitter, slices and toxicity draws; default 0. */
  readonly seed?: number;
  /** Default 10 s. */
  readonly dialTimeoutMs?: number;
}

export interface RunningProxy {
  readonly apiPort: number;
  /** Proxy name → where it listens. */
  readonly listening: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** Throws InputError for a configuration that is no object; its proxies are checked as the API checks them. */
export const startProxy = async (value: unknown): Promise<RunningProxy> => {
  if (typeof value !== 'object' || value === null) {
    throw new InputError('LINK_PROXY_BAD_CONFIG', 'The configuration of the link proxy is not an object.');
  }
  const config = value as ProxyConfig;
  const { dialTimeoutMs = 10_000, seed = 0 } = config;
  const proxies = new ProxySet({ clock: systemClock, seed, dialTimeoutMs });
  const api = createProxyApi({ proxies, startedAtMs: systemClock.wall() });
  const stop = async (): Promise<void> => {
    await proxies.close();
    await new Promise<void>((resolve) => {
      api.close(() => resolve());
      api.closeAllConnections();
    });
  };
  try {
    const created = await proxies.populate(config.proxies ?? []);
    const apiPort = await listenOn(api, { host: config.host ?? '127.0.0.1', port: config.apiPort ?? 0 });
    return { apiPort, listening: Object.fromEntries(created.map((proxy) => [proxy.name, proxy.json().listen])), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
