// How a proxy is set up: its listeners, the store behind each, and its limits.
import { z } from 'zod';
import { InputError } from '../errors.ts';
import { DEFAULT_LIMITS } from './proxy-limits.ts';

const LOOPBACK = '127.0.0.1';

const host = z.string().min(1);
const port = z.int().min(0).max(65_535);

const upstreamSchema = z.strictObject({
  protocol: z.enum(['http', 'https']),
  host,
  port: z.int().min(1).max(65_535),
  /** Name that the store's certificate must have, where it is another one than `host`. */
  serverName: z.string().min(1).exactOptional(),
  /** PEM, instead of the authorities that Node.js knows. */
  ca: z.string().min(1).exactOptional(),
});

const listenerSchema = z.strictObject({
  /** Path and broker, like `s3-wal-b1`; rules name it. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/u, 'Use lower-case letters, digits and hyphens.'),
  host: host.default(LOOPBACK),
  /** 0 for any free one. */
  port: port.default(0),
  upstream: upstreamSchema,
});

const limit = (most: number, usual: number): z.ZodDefault<z.ZodInt> => z.int().min(1).max(most).default(usual);

const optionsSchema = z.strictObject({
  listeners: z
    .array(listenerSchema)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'Two listeners have one name.'),
  /** Whoever reaches it can break what passes through: on loopback unless told otherwise, as a container has to. */
  admin: z.strictObject({ host: host.default(LOOPBACK), port: port.default(0) }).exactOptional(),
  /** Decides what rules without a seed of their own leave to chance. */
  seed: z.int().min(0).default(0),
  limits: z
    .strictObject({
      connections: limit(100_000, DEFAULT_LIMITS.connections),
      idleMs: limit(86_400_000, DEFAULT_LIMITS.idleMs),
      headBytes: limit(1024 ** 2, DEFAULT_LIMITS.headBytes),
      connectMs: limit(600_000, DEFAULT_LIMITS.connectMs),
      keptBytes: limit(Number.MAX_SAFE_INTEGER, DEFAULT_LIMITS.keptBytes),
    })
    .prefault({}),
});
export type S3ProxyOptions = z.input<typeof optionsSchema>;
export type S3ProxySettings = z.infer<typeof optionsSchema>;
export type ListenerSettings = S3ProxySettings['listeners'][number];

/** Throws InputError (S3_PROXY_OPTIONS) with every problem. */
export const parseOptions = (document: unknown): S3ProxySettings => {
  const parsed = optionsSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${['options', ...path].join('.')}: ${message}`);
  throw new InputError('S3_PROXY_OPTIONS', problems.join(' '), {
    hint: 'docs/s3-proxy.md says how a proxy is set up.',
  });
};
