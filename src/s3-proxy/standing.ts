// What a person who has just started a proxy wants to know of it, in lines.
import { describeError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import { DEFAULT_LIMITS } from './proxy-limits.ts';
import type { S3ProxyOptions } from './proxy-options.ts';
import type { RunningS3Proxy } from './s3-proxy.ts';
import { connectTo, nameOf } from './upstream.ts';

const LOOPBACK = /^(?:127\.|::1$|localhost$)/u;

const urlOf = ({ host, port }: Address): string => nameOf({ protocol: 'http', host, port });

/** Each listener and the admin API with its address. */
export const renderS3Proxy = ({ listeners, admin }: RunningS3Proxy, options: S3ProxyOptions): string => {
  const rows = options.listeners.flatMap(({ name, upstream }): (readonly [name: string, what: string])[] => {
    const address = listeners[name];
    return address === undefined ? [] : [[name, `${urlOf(address)}  →  ${nameOf(upstream)}`]];
  });
  if (admin !== undefined) rows.push(['admin', `${urlOf(admin)}  (/rules, /counters, /drain)`]);
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return rows.map(([name, what]) => `${`${name}:`.padEnd(width)}  ${what}`).join('\n');
};

/** What is amiss from the start, a sentence each: a store that cannot be reached, an admin API that others reach too. */
export const troubleOfS3Proxy = async ({ admin }: RunningS3Proxy, { listeners }: S3ProxyOptions): Promise<string[]> => {
  const trouble: string[] = [];
  if (admin !== undefined && !LOOPBACK.test(admin.host)) {
    trouble.push(`Whoever reaches ${urlOf(admin)} can break what passes through: it has no login.`);
  }
  const stores = new Map(listeners.map(({ upstream }) => [nameOf(upstream), upstream]));
  for (const store of stores.values()) {
    try {
      (await connectTo(store, DEFAULT_LIMITS.connectMs)).leave('close');
    } catch (thrown) {
      trouble.push(describeError(thrown));
    }
  }
  return trouble;
};
