// How a proxy is set up by words on a command line: `name=host:port` for a listener, a URL for the store.
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import type { S3ProxyOptions } from './proxy-options.ts';

export interface S3ProxyWords {
  /** `http://host:port` or `https://host[:port]`. */
  readonly upstream: string;
  /** `name=[host:]port`, one for each listener. */
  readonly listen: readonly string[];
  /** `[host:]port` of the admin API. */
  readonly admin: string;
  readonly seed: number;
  /** Name that the store's certificate must have. */
  readonly upstreamName?: string | undefined;
  /** File with certificates of authorities, PEM. */
  readonly ca?: string | undefined;
}

const LOOPBACK = '127.0.0.1';

const usage = (message: string, hint: string): UsageError => new UsageError('S3_PROXY_WORDS', message, { hint });

const addressOf = (written: string, option: string): Address => {
  const [, host, bracketed, port] = /^(?:(?:([^[\]:]+)|\[([^[\]]+)\]):)?(\d{1,5})$/u.exec(written) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw usage(
      `--${option} names "${written}", which is no address.`,
      'Write PORT or HOST:PORT, like 127.0.0.1:9101.',
    );
  }
  return { host: host ?? bracketed ?? LOOPBACK, port: Number(port) };
};

const listenerOf = (written: string): Address & { readonly name: string } => {
  const [, name, address] = /^([^=]+)=(.+)$/u.exec(written) ?? [];
  if (name === undefined || address === undefined) {
    throw usage(`--listen "${written}" names no listener.`, 'Write NAME=PORT, like s3-data-b1=9101.');
  }
  return { name, ...addressOf(address, 'listen') };
};

const urlOf = (written: string): URL => {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isPlain = url !== undefined && url.pathname === '/' && url.search === '' && url.username === '';
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw usage(
      `--upstream "${written}" is not where a store is.`,
      'Write http://HOST:PORT or https://HOST, without a path.',
    );
  }
  return url;
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError('S3_PROXY_CA', `--ca ${file} cannot be read.`, {
      hint: 'Name a file with certificates in PEM.',
      cause,
    });
  }
};

/** Throws UsageError. */
export const s3ProxyOptionsOf = ({ upstream, listen, admin, seed, upstreamName, ca }: S3ProxyWords): S3ProxyOptions => {
  const url = urlOf(upstream);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const store = {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/u, '$1'),
    port: url.port === '' ? { http: 80, https: 443 }[protocol] : Number(url.port),
    ...(upstreamName === undefined ? {} : { serverName: upstreamName }),
    ...(ca === undefined ? {} : { ca: textOf(ca) }),
  } as const;
  return {
    listeners: listen.map((written) => ({ ...listenerOf(written), upstream: store })),
    admin: addressOf(admin, 'admin'),
    seed,
  };
};
