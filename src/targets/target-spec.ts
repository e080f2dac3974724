// Target files (`scenarios/targets/*.yaml`) as Zod: strict objects, quantities as strings with a unit. One target is one file,
// so that one scenario runs against many targets.
import { z } from 'zod';
import { parseDuration, UNIT_PATTERNS } from '../units.ts';

const refuseBareNumber = (issue: { readonly input?: unknown }): string | undefined => {
  const reading = parseDuration(issue.input);
  return reading.ok ? undefined : `${reading.problem.message} ${reading.problem.hint}`;
};

/** `1s`, `200ms` → milliseconds, between `leastMs` and `mostMs`. */
const durationField = (leastMs: number, mostMs: number) =>
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

const head = { apiVersion: z.literal('ackproof/v1') };

const nameField = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name is lower-case words joined by hyphens, like "kafka-local".')
  .max(60);

/** A Docker Compose project whose containers are labelled as `docker-compose.yml` of ackproof does it. */
export const composeSpecSchema = z.strictObject({
  ...head,
  kind: z.literal('compose'),
  name: nameField.default('compose'),
  project: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]*$/, 'a project is lower-case letters, digits, "-" and "_", like "ackproof".')
    .max(60)
    .default('ackproof'),
  /** The compose file; the one that ackproof brings along where none is named. */
  file: z.string().min(1).optional(),
  /** Uses a project that runs already, and leaves it running. */
  attach: z.boolean().default(false),
  /** For the whole cluster to serve, and for a broker that is started again. */
  startTimeout: durationField(1_000, 1_800_000).prefault('3m'),
  profile: z.enum(['apache-kafka', 'other']).default('apache-kafka'),
});
export type ComposeSpec = z.infer<typeof composeSpecSchema>;

/** The cluster that ackproof brings along. */
export const embeddedSpecSchema = z.strictObject({
  ...head,
  kind: z.literal('embedded'),
  name: nameField.default('embedded'),
  brokers: z.int().min(1).max(9).default(3),
  /** A broker that was not heard of for so long has lost its partitions. */
  sessionTimeout: durationField(300, 60_000).prefault('1s'),
  heartbeat: durationField(20, 10_000).prefault('150ms'),
  /** Acknowledged records are in the object store about so long after. */
  uploadInterval: durationField(50, 60_000).prefault('1s'),
  /** Decides which error codes say for certain that nothing was written. */
  profile: z.literal('embedded').default('embedded'),
  /** Keeps the cluster's files in the run directory when it is disposed of. */
  keepFiles: z.boolean().default(false),
});
export type EmbeddedSpec = z.infer<typeof embeddedSpecSchema>;

const ADDRESS = /^(\[[0-9a-fA-F:]+\]|[^\s:/[\]]+):([1-9][0-9]{0,4})$/;

const addressField = z
  .string()
  .regex(ADDRESS, 'an address is host:port, like "127.0.0.1:9092".')
  .refine((written) => Number(ADDRESS.exec(written)?.[2] ?? 0) <= 65_535, 'a port is at most 65535.');

/** A cluster somebody else runs. Nothing can be done to it yet, so scenarios against it have no faults. */
export const externalSpecSchema = z.strictObject({
  ...head,
  kind: z.literal('external'),
  name: nameField.default('external'),
  bootstrapServers: z.array(addressField).min(1),
  /** As above; of Apache Kafka itself more is known than of brokers that only speak its protocol. */
  profile: z.enum(['apache-kafka', 'other']).default('other'),
});
export type ExternalSpec = z.infer<typeof externalSpecSchema>;

/** A target by its name, and its kind where that is another word. */
export const describeSpec = ({ name, kind }: { readonly name: string; readonly kind: string }): string =>
  name === kind ? name : `${name} (${kind})`;

/** `host:port`, checked by the schema before; brackets of an IPv6 address are taken off. */
export const parseAddress = (written: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = ''] = ADDRESS.exec(written) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
};

/** A target file, told apart by `kind`. */
export const targetSpecSchema = z.discriminatedUnion('kind', [
  composeSpecSchema,
  embeddedSpecSchema,
  externalSpecSchema,
]);
export type TargetSpec = z.infer<typeof targetSpecSchema>;
