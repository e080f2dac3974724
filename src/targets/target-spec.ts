// Target files (`scenarios/targets/*.yaml`) as Zod: strict objects, quantities as strings with a unit. One target is one file,
// so that one scenario runs against many targets.
import { z } from 'zod';
import { parseDuration, UNIT_PATTERNS } from '../units.ts';
import { SASL_MECHANISMS } from '../wire/connection-security.ts';

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

/** What may be scraped; a login in the address would be written down with the run. */
const metricsUrl = z
  .url({ protocol: /^https?$/u, error: 'an address to scrape is a URL, like "http://127.0.0.1:7071/metrics".' })
  .refine((written) => new URL(written).username === '' && new URL(written).password === '', {
    error: 'the address may hold no login: let the exporter be reached without one.',
  });

const metricsSource = z.strictObject({
  node: z.string().regex(/^(broker|controller)\/\d+$/, 'a node is written like "broker/1" or "controller/101".'),
  url: metricsUrl,
});
export type MetricsSource = z.infer<typeof metricsSource>;

/** Where Prometheus scrapes the nodes; a few named series are sampled through the run. */
const metricsField = z
  .array(metricsSource)
  .min(1)
  .refine((sources) => new Set(sources.map(({ node }) => node)).size === sources.length, {
    error: 'each node is scraped at one address.',
  })
  .exactOptional();

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
  metrics: metricsField,
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

/** A setting's name in `server.properties`. */
const settingName = z.string().regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/, 'a setting is named as in server.properties.');

/** Apache Kafka as processes of this machine, from jars that are there. */
export const processSpecSchema = z.strictObject({
  ...head,
  kind: z.literal('process'),
  name: nameField.default('process'),
  /** A folder of Apache Kafka, or of its jars; ACKPROOF_KAFKA_HOME, or what was fetched, where it is left out. */
  kafkaHome: z.string().min(1).exactOptional(),
  brokers: z.int().min(1).max(9).default(3),
  controllers: z.int().min(1).max(9).default(3),
  /** A broker that was not heard of for so long has lost its partitions. */
  sessionTimeout: durationField(1000, 600_000).prefault('6s'),
  /** A replica that lags for so long is no longer in sync. */
  replicaLag: durationField(500, 600_000).prefault('5s'),
  /** More lines of every node's server.properties. */
  settings: z.record(settingName, z.string()).default({}),
  /** What stands on the paths: Toxiproxy where `toxiproxy-server` is there, or the proxies that ackproof brings along. */
  proxies: z.enum(['auto', 'toxiproxy', 'built-in']).default('auto'),
  /** Memory of each Java process. */
  heap: z
    .string()
    .regex(/^[1-9]\d*[mg]$/, 'a heap is a number and m or g, like "256m".')
    .default('256m'),
  profile: z.literal('apache-kafka').default('apache-kafka'),
  /** Keeps the cluster's files in the run directory when it is disposed of. */
  keepFiles: z.boolean().default(false),
  metrics: metricsField,
});
export type ProcessSpec = z.infer<typeof processSpecSchema>;

const ADDRESS = /^(\[[0-9a-fA-F:]+\]|[^\s:/[\]]+):([1-9][0-9]{0,4})$/;

const addressField = z
  .string()
  .regex(ADDRESS, 'an address is host:port, like "127.0.0.1:9092".')
  .refine((written) => Number(ADDRESS.exec(written)?.[2] ?? 0) <= 65_535, 'a port is at most 65535.');

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const NOT_A_VARIABLE = 'the name of an environment variable is letters, digits and _, like KAFKA_PASSWORD.';

/** Says nothing of what was written: it may be the secret. */
const NOT_A_REFERENCE =
  'this is never written here. Name an environment variable, like {env: KAFKA_PASSWORD}, or a file, like {file: secrets/password}.';

/** A value that is not in the file: where it is instead. Relative file names are looked up from the target file. */
const referenceField = z
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

const mechanismProblem = ({ input }: { readonly input?: unknown }): string =>
  input === undefined
    ? `missing. Write ${SASL_MECHANISMS.join(', ')}.`
    : `ackproof cannot log in by ${typeof input === 'string' ? `"${input.slice(0, 40)}"` : 'that'}. Use ${SASL_MECHANISMS.join(', ')}, on a listener that takes one of them.`;

/** As Kafka's own clients call it; what is said of TLS or of a login must fit it. */
const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SASL_PLAINTEXT', 'SASL_SSL', 'SSL'] as const;

const securitySchema = z
  .strictObject({
    protocol: z.enum(SECURITY_PROTOCOLS),
    tls: z
      .strictObject({
        /** In PEM; those who may have signed the brokers' certificates. Absent: those that Node.js trusts. */
        ca: referenceField.optional(),
        certificate: referenceField.optional(),
        key: referenceField.optional(),
        keyPassword: referenceField.optional(),
        /** The name in the brokers' certificates, where it is not the host that is connected to. */
        serverName: z.string().min(1).max(253).optional(),
      })
      .refine(({ certificate, key }) => (certificate === undefined) === (key === undefined), {
        error: 'a certificate and its key are named together.',
      })
      .optional(),
    sasl: z
      .strictObject({
        mechanism: z.enum(SASL_MECHANISMS, { error: mechanismProblem }),
        username: z.union([z.string().min(1), referenceField], {
          error: 'a user name, or {env: NAME} or {file: path}.',
        }),
        password: referenceField,
      })
      .optional(),
  })
  .refine(({ protocol, sasl }) => protocol.startsWith('SASL_') === (sasl !== undefined), {
    error: ({ input }) =>
      isLoginProtocol(input)
        ? 'this protocol needs sasl: {mechanism, username, password}.'
        : 'sasl needs the protocol SASL_SSL or SASL_PLAINTEXT.',
  })
  .refine(({ protocol, tls }) => tls === undefined || protocol.endsWith('SSL'), {
    error: 'tls needs the protocol SSL or SASL_SSL.',
  });
export type SecuritySpec = z.infer<typeof securitySchema>;

const isLoginProtocol = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'protocol' in input && String(input.protocol).startsWith('SASL_');

/** `SASL_SSL by SCRAM-SHA-512`; nothing that is secret is in it. */
export const describeSecurity = (security: SecuritySpec | undefined): string => {
  if (security === undefined) return 'PLAINTEXT';
  const { protocol, sasl, tls } = security;
  const login = sasl === undefined ? '' : ` by ${sasl.mechanism}`;
  return `${protocol}${login}${tls?.certificate === undefined ? '' : ' with a client certificate'}`;
};

/** A cluster somebody else runs. Only faults that are orders by Kafka's own protocol can be performed on it. */
export const externalSpecSchema = z.strictObject({
  ...head,
  kind: z.literal('external'),
  name: nameField.default('external'),
  bootstrapServers: z.array(addressField).min(1),
  /** How its brokers want to be spoken to; plain and without a login where this is absent. */
  security: securitySchema.optional(),
  /** As above; of Apache Kafka itself more is known than of brokers that only speak its protocol. */
  profile: z.enum(['apache-kafka', 'other']).default('other'),
  metrics: metricsField,
});
export type ExternalSpec = z.infer<typeof externalSpecSchema>;

/** A target by its name, and its kind where that is another word. */
export const describeSpec = ({ name, kind }: { readonly name: string; readonly kind: string }): string =>
  name === kind ? name : `${name} (${kind})`;

/** What the file says may be scraped. */
export const metricsOf = (spec: TargetSpec): readonly MetricsSource[] =>
  spec.kind === 'embedded' ? [] : (spec.metrics ?? []);

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
  processSpecSchema,
]);
export type TargetSpec = z.infer<typeof targetSpecSchema>;
