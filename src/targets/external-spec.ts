// The file of a cluster that somebody else runs: where it is, how it wants to be spoken to, and what may be done to it. Secrets are
// named in it and never written.
import { z } from 'zod';
import { SASL_MECHANISMS } from '../wire/connection-security.ts';
import {
  addressField,
  allowFaultsField,
  durationField,
  ENVIRONMENT_NAME,
  head,
  metricsField,
  NOT_A_VARIABLE,
  nameField,
  referenceField,
} from './spec-fields.ts';

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

/** A Toxiproxy's control API, which knows no TLS; `http://` may be left out. */
const controlField = z
  .string()
  .regex(/^(http:\/\/)?[^/]+\/?$/, 'a Toxiproxy is http://host:port, like "http://toxiproxy.example.com:8474".')
  .transform((written) => written.replace(/^http:\/\//, '').replace(/\/$/, ''))
  .pipe(addressField);

const argvField = z
  .array(z.string().min(1), {
    error: 'a command is a list of words, like [./restart.sh, "{broker}"]; no shell reads it.',
  })
  .min(1, 'a command has at least the name of a program.');

/** Programs that perform a fault; each gets the same environment and no more time than `timeout`. */
const commandField = z.strictObject({
  /** Breaks it. Ends with 0 once it has. */
  inject: argvField,
  /** Ends with 0 as long as the fault acts, and prints what it saw. */
  confirm: argvField,
  /** Puts it back; also by the watchdog and `ackproof heal`, perhaps twice, and where nothing was broken. */
  heal: argvField,
  /** Ends with 0 once everything is as before. */
  healed: argvField,
  env: z
    .record(
      z.string().regex(ENVIRONMENT_NAME, NOT_A_VARIABLE),
      z.union([z.string(), referenceField], { error: 'a text, or {env: NAME} or {file: path} for what is secret.' }),
    )
    .default({}),
  timeout: durationField(100, 600_000).prefault('30s'),
});
/** Faults that make losses legal: what they destroyed must have been seen by ackproof itself. */
export const LICENSES: readonly string[] = ['node-loss', 'object-loss'];
export type CommandSpec = z.infer<typeof commandField>;

/** An object store, looked at with credentials of ackproof's own. */
export const objectStoreField = z.strictObject({
  endpoint: z
    .string()
    .regex(
      /^https?:\/\/[^/\s@?#]+\/?$/,
      'an endpoint is http://host:port or https://host, without a login: its keys are named by accessKey and secretKey.',
    ),
  region: z.string().min(1).default('us-east-1'),
  bucket: z.string().min(1),
  /** Only objects below it are looked at. */
  prefix: z.string().default(''),
  accessKey: referenceField,
  secretKey: referenceField,
});
export type ObjectStoreSpec = z.infer<typeof objectStoreField>;

const storageField = z.strictObject({
  /** What an acknowledgement waits for: `objects below wal/`, `a block volume of each broker` … */
  wal: z.string().min(1).exactOptional(),
  /** Which object service it is, and in which version. */
  service: z.string().min(1).exactOptional(),
  /** As whom the brokers come to it; never a key itself. */
  identity: z.string().min(1).exactOptional(),
  /** On the way, and at rest. */
  encryption: z.string().min(1).exactOptional(),
  /** Which way requests go, and through what. */
  route: z.string().min(1).exactOptional(),
  /** What takes down both write-ahead log and objects. */
  sharedFate: z.string().min(1).exactOptional(),
});
export type StorageSpec = z.infer<typeof storageField>;

/** A cluster somebody else runs. What can be done to it are orders by Kafka's own protocol, and what the file brings along. */
export const externalSpecSchema = z
  .strictObject({
    ...head,
    kind: z.literal('external'),
    name: nameField.default('external'),
    bootstrapServers: z.array(addressField).min(1),
    /** How its brokers want to be spoken to; plain and without a login where this is absent. */
    security: securitySchema.optional(),
    /** As above; of Apache Kafka itself more is known than of brokers that only speak its protocol. */
    profile: z.enum(['apache-kafka', 'other']).default('other'),
    metrics: metricsField,
    /** What may be done to it, by name; nothing where this is left out. */
    allowFaults: allowFaultsField.default([]),
    /** The Toxiproxies that clients reach its brokers through: one proxy for each broker, at the address that it advertises. */
    toxiproxy: z.union([controlField.transform((one) => [one]), z.array(controlField).min(1)]).optional(),
    /** A listener of the brokers past those proxies, for evidence; absent: where the proxies lead to, if that can be reached. */
    directServers: z.array(addressField).min(1).optional(),
    /** Programs of whoever runs it, by the fault they perform, or by a name that the fault `command` calls them by. */
    commands: z
      .record(nameField, commandField)
      .default({})
      .refine((commands) => !LICENSES.some((name) => name in commands), {
        error: `a program cannot stand for ${LICENSES.join(' or ')}: losses would be legal on its word alone. Give it another name, and use the fault command.`,
      }),
    /** Where its brokers keep their data, for a look with credentials of ackproof's own. */
    objectStore: objectStoreField.optional(),
    /** Where they keep their write-ahead log, if that is in a bucket, or at an endpoint, of its own. */
    walStore: objectStoreField.optional(),
    /** What the record is to name of that storage, in words; what is left out is told as not collected. */
    storage: storageField.optional(),
  })
  .refine(({ walStore, objectStore }) => walStore === undefined || objectStore !== undefined, {
    path: ['walStore'],
    error: 'walStore is the place of the write-ahead log beside objectStore, that of the data: name both.',
  });
export type ExternalSpec = z.infer<typeof externalSpecSchema>;
