// Fields that target files of several kinds have in common.
import { z } from 'zod';
import { nearestName } from '../errors.ts';
import { parseDuration, UNIT_PATTERNS } from '../units.ts';
import { FAULTS } from '../vocabulary.ts';

const refuseBareNumber = (issue: { readonly input?: unknown }): string | undefined => {
  const reading = parseDuration(issue.input);
  return reading.ok ? undefined : `${reading.problem.message} ${reading.problem.hint}`;
};

/** `1s`, `200ms` → milliseconds, between `leastMs` and `mostMs`. */
export const durationField = (leastMs: number, mostMs: number) =>
  z
    .string({ error: refuseBareNumber })
    .meta({ pattern: UNIT_PATTERNS.duration })
    .transform((written, context): number => {
      const reading = parseDuration(written);
      if (reading.ok && reading.value >= leastMs && reading.value <= mostMs) return reading.value;
      const message = reading.ok
        ? `"${written}" must be between ${leastMs}ms and ${mostMs}ms.`
        : `${reading.problem.message} ${reading.problem.hint}`;
      context.addIssue({ code: 'custom', message, input: written });
      return z.NEVER;
    });

export const head = { apiVersion: z.literal('ackproof/v1') };

export const nameField = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name is lower-case words joined by hyphens, like "kafka-local".')
  .max(60);

const notAFault = ({ input }: { readonly input?: unknown }): string => {
  const list = 'See `ackproof list faults`.';
  if (typeof input !== 'string') return `the name of a fault is wanted here. ${list}`;
  const near = nearestName(input, FAULTS);
  const shown = input.length > 60 ? `${input.slice(0, 60)}…` : input;
  return `no fault named "${shown}". ${near === undefined ? '' : `Did you mean "${near}"? `}${list}`;
};

/** Faults that may be performed on a cluster that ackproof did not make, by name; none where it is left out. */
export const allowFaultsField = z.array(z.enum(FAULTS, { error: notAFault }));

const ADDRESS = /^(\[[0-9a-fA-F:]+\]|[^\s:/[\]]+):([1-9][0-9]{0,4})$/;

export const addressField = z
  .string()
  .regex(ADDRESS, 'an address is host:port, like "127.0.0.1:9092".')
  .refine((written) => Number(ADDRESS.exec(written)?.[2] ?? 0) <= 65_535, 'a port is at most 65535.');

export const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const NOT_A_VARIABLE = 'the name of an environment variable is letters, digits and _, like KAFKA_PASSWORD.';

/** Says nothing of what was written: it may be the secret. */
const NOT_A_REFERENCE =
  'this is never written here. Name an environment variable, like {env: KAFKA_PASSWORD}, or a file, like {file: secrets/password}.';

/** A value that is not in the file: where it is instead. Relative file names are looked up from the target file. */
export const referenceField = z
  .union(
    [
      z.strictObject({ env: z.string().regex(ENVIRONMENT_NAME, NOT_A_VARIABLE) }),
      z.strictObject({ file: z.string().min(1) }),
    ],
    {
      error: () => NOT_A_REFERENCE,
    },
  )
  .meta({ description: 'Not the value itself: {env: NAME} or {file: path}.' });
export type SecretReference = z.infer<typeof referenceField>;

/** `host:port`, checked by the schema before; brackets of an IPv6 address are taken off. */
export const parseAddress = (written: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = ''] = ADDRESS.exec(written) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
};

/** `host:port` as a proxy tells it, where the host may be empty. */
export const splitAddress = (written: string): { readonly host: string; readonly port: number } => {
  const at = written.lastIndexOf(':');
  return { host: written.slice(0, at).replace(/^\[(.*)\]$/u, '$1'), port: Number(written.slice(at + 1)) };
};

const hasLogin = ({ username, password }: URL): boolean => username !== '' || password !== '';

/** What may be scraped; a login in the address would be written down with the run. */
const metricsUrl = z
  .url({ protocol: /^https?$/u, error: 'an address to scrape is a URL, like "http://127.0.0.1:7071/metrics".' })
  .refine((written) => !URL.canParse(written) || !hasLogin(new URL(written)), {
    error: 'the address may hold no login: let the exporter be reached without one.',
  });

const metricsSource = z.strictObject({
  node: z.string().regex(/^(broker|controller)\/\d+$/, 'a node is written like "broker/1" or "controller/101".'),
  url: metricsUrl,
});
export type MetricsSource = z.infer<typeof metricsSource>;

/** Where Prometheus scrapes the nodes; a few named series are sampled through the run. */
export const metricsField = z
  .array(metricsSource)
  .min(1)
  .refine((sources) => new Set(sources.map(({ node }) => node)).size === sources.length, {
    error: 'each node is scraped at one address.',
  })
  .exactOptional();
