// Target files (`scenarios/targets/*.yaml`) as Zod: strict objects, quantities as strings with a unit. One target is one file,
// so that one scenario runs against many targets.
import { z } from 'zod';
import { WAL_KINDS } from '../vocabulary.ts';
import { externalSpecSchema } from './external-spec.ts';
import { allowFaultsField, durationField, head, type MetricsSource, metricsField, nameField } from './spec-fields.ts';
import { tieredStorageField } from './tiered-spec.ts';

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
  /** An image with iptables and bash that the engine has, for helpers beside the nodes; their own image where none is named. */
  helperImage: z.string().min(1).exactOptional(),
  /** Uses a project that runs already, and leaves it running. */
  attach: z.boolean().default(false),
  /** What may be done to a project that runs already; `run --yes` says the same for one run. */
  allowFaults: allowFaultsField.default([]),
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
  /** Where the write-ahead log is: objects, a block volume of each broker, or files of a shared directory. */
  wal: z.enum(WAL_KINDS).default('s3'),
  /** Decides which error codes say for certain that nothing was written. */
  profile: z.literal('embedded').default('embedded'),
  /** Keeps the cluster's files in the run directory when it is disposed of. */
  keepFiles: z.boolean().default(false),
});
export type EmbeddedSpec = z.infer<typeof embeddedSpecSchema>;

/** The path by which brokers reach a write-ahead log. */
export const walPath = (wal: EmbeddedSpec['wal']): 's3-wal' | 'wal' => (wal === 's3' ? 's3-wal' : 'wal');

/** What decides who a node is and where others dial it: faults of connections count on what ackproof says of that. */
const DIALLING_SETTINGS: ReadonlySet<string> = new Set([
  'advertised.listeners',
  'broker.id',
  'control.plane.listener.name',
  'controller.listener.names',
  'controller.quorum.bootstrap.servers',
  'controller.quorum.voters',
  'inter.broker.listener.name',
  'listener.security.protocol.map',
  'listeners',
  'node.id',
  'process.roles',
  'security.inter.broker.protocol',
]);

/** A number alone says nothing: Java would take it for bytes. */
const notAHeap = ({ input }: { readonly input?: unknown }): string =>
  typeof input === 'number'
    ? `${input} has no unit. Write m (MiB) or g (GiB) behind it, like "256m".`
    : 'a heap is a whole number and m or g behind it, like "256m".';

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
  /** Brokers that have everything but a process, for faults that let one join. */
  spareBrokers: z.int().min(0).max(3).default(0),
  /** A broker that was not heard of for so long has lost its partitions. */
  sessionTimeout: durationField(1000, 600_000).prefault('6s'),
  /** A replica that lags for so long is no longer in sync. */
  replicaLag: durationField(500, 600_000).prefault('5s'),
  /** More lines of every node's server.properties. */
  settings: z
    .record(settingName, z.string())
    .refine((settings) => Object.keys(settings).every((name) => !DIALLING_SETTINGS.has(name)), {
      error: `settings may not say who is dialled where, as nodes would go past the proxies: leave out ${[...DIALLING_SETTINGS].join(', ')}.`,
    })
    .default({}),
  /** Keeps rolled segments of topics with `remote.storage.enable` elsewhere. */
  tieredStorage: tieredStorageField,
  /** What stands on the paths: Toxiproxy where `toxiproxy-server` is there, or the proxies that ackproof brings along. */
  proxies: z.enum(['auto', 'toxiproxy', 'built-in']).default('auto'),
  /** Memory of each Java process. */
  heap: z
    .string({ error: notAHeap })
    .regex(/^[1-9]\d*[mg]$/, 'a heap is a whole number and m or g behind it, like "256m".')
    .default('256m'),
  profile: z.literal('apache-kafka').default('apache-kafka'),
  /** Keeps the cluster's files in the run directory when it is disposed of. */
  keepFiles: z.boolean().default(false),
  metrics: metricsField,
});
export type ProcessSpec = z.infer<typeof processSpecSchema>;

/** A target by its name, and its kind where that is another word. */
export const describeSpec = ({ name, kind }: { readonly name: string; readonly kind: string }): string =>
  name === kind ? name : `${name} (${kind})`;

/** What the file says may be scraped. */
export const metricsOf = (spec: TargetSpec): readonly MetricsSource[] =>
  spec.kind === 'embedded' ? [] : (spec.metrics ?? []);

/** A target file, told apart by `kind`. */
export const targetSpecSchema = z.discriminatedUnion('kind', [
  composeSpecSchema,
  embeddedSpecSchema,
  externalSpecSchema,
  processSpecSchema,
]);
export type TargetSpec = z.infer<typeof targetSpecSchema>;
