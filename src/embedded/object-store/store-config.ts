// The configuration of the store program, checked: a wrong value is told with its name before anything is opened.
import { InputError } from '../../errors.ts';
import type { Credentials } from './signature.ts';

export interface ListenerConfig {
  /** Stands in the request log: `data`, `wal`, `direct`. */
  readonly name: string;
  /** 0 for any free port. */
  readonly port: number;
}

export interface StoreConfig {
  /** Created when it is not there. One store process at a time. */
  readonly directory: string;
  /** Address of all listeners; default 127.0.0.1. */
  readonly host: string;
  readonly listeners: readonly ListenerConfig[];
  /** Default 0: any free port. */
  readonly adminPort: number;
  /** Created at the start when they are not there. */
  readonly buckets: readonly string[];
  /** File the request log is appended to; without it the log is in memory only. */
  readonly requestLog?: string;
  /** With them every request must be signed. */
  readonly credentials?: Credentials;
  /** Of an object that comes in one piece, and of a part; default 64 MiB. An object of many parts may be larger. */
  readonly maxObjectBytes: number;
  /** Of every part but the last; default 5 MiB, as on S3. */
  readonly minPartBytes: number;
  /** Default 128 KiB. */
  readonly hotObjectBytes: number;
  /** Default 64 MiB. */
  readonly hotTotalBytes: number;
  /** Default 10 s. */
  readonly headersTimeoutMs: number;
  /** Default 120 s. */
  readonly requestTimeoutMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

const bad = (name: string, expected: string): InputError =>
  new InputError('OBJECT_STORE_BAD_CONFIG', `The setting ${name} of the object store is not ${expected}.`, {
    hint: 'Correct it and start the store again.',
  });

const KNOWN = [
  'adminPort',
  'buckets',
  'credentials',
  'directory',
  'exitOnStdinClose',
  'headersTimeoutMs',
  'host',
  'hotObjectBytes',
  'hotTotalBytes',
  'listeners',
  'maxObjectBytes',
  'minPartBytes',
  'requestLog',
  'requestTimeoutMs',
];

const asFields = (value: unknown, name: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(name, 'an object');
  return value as Fields;
};

const text = (value: unknown, name: string): string => {
  if (typeof value !== 'string' || value === '') throw bad(name, 'a text');
  return value;
};

const whole = (value: unknown, name: string, least: number, most: number): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw bad(name, `a whole number from ${least} to ${most}`);
  }
  return value;
};

const listOf = <T>(value: unknown, name: string, each: (item: unknown, itemName: string) => T): readonly T[] => {
  if (!Array.isArray(value)) throw bad(name, 'a list');
  return value.map((item: unknown, index) => each(item, `${name}[${index}]`));
};

const listener = (value: unknown, name: string): ListenerConfig => {
  const fields = asFields(value, name);
  return { name: text(fields['name'], `${name}.name`), port: whole(fields['port'] ?? 0, `${name}.port`, 0, 65_535) };
};

const credentials = (value: unknown): Credentials => {
  const fields = asFields(value, 'credentials');
  return {
    accessKeyId: text(fields['accessKeyId'], 'credentials.accessKeyId'),
    secretAccessKey: text(fields['secretAccessKey'], 'credentials.secretAccessKey'),
  };
};

const MOST_BYTES = 1024 ** 3;
const MOST_MS = 3_600_000;

/** Throws InputError for the first setting that cannot be used. */
export const parseStoreConfig = (value: unknown): StoreConfig => {
  const fields = asFields(value, '(whole configuration)');
  for (const name of Object.keys(fields))
    if (!KNOWN.includes(name)) throw bad(name, `known. Known: ${KNOWN.join(', ')}`);
  const listeners = listOf(fields['listeners'], 'listeners', listener);
  if (listeners.length === 0) throw bad('listeners', 'a list of at least one');
  if (new Set(listeners.map(({ name }) => name)).size < listeners.length)
    throw bad('listeners', 'free of repeated names');
  const bytes = (name: string, fallback: number): number => whole(fields[name] ?? fallback, name, 0, MOST_BYTES);
  const ms = (name: string, fallback: number): number => whole(fields[name] ?? fallback, name, 1, MOST_MS);
  return {
    directory: text(fields['directory'], 'directory'),
    host: text(fields['host'] ?? '127.0.0.1', 'host'),
    listeners,
    adminPort: whole(fields['adminPort'] ?? 0, 'adminPort', 0, 65_535),
    buckets: listOf(fields['buckets'] ?? [], 'buckets', text),
    ...(fields['requestLog'] === undefined ? {} : { requestLog: text(fields['requestLog'], 'requestLog') }),
    ...(fields['credentials'] === undefined ? {} : { credentials: credentials(fields['credentials']) }),
    maxObjectBytes: bytes('maxObjectBytes', 64 * 1024 ** 2),
    minPartBytes: bytes('minPartBytes', 5 * 1024 ** 2),
    hotObjectBytes: bytes('hotObjectBytes', 128 * 1024),
    hotTotalBytes: bytes('hotTotalBytes', 64 * 1024 ** 2),
    headersTimeoutMs: ms('headersTimeoutMs', 10_000),
    requestTimeoutMs: ms('requestTimeoutMs', 120_000),
  };
};
