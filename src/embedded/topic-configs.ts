// The settings of a topic as far as the embedded cluster knows them. They can be set when a topic is created and read back.
// Retention is a promise of how long records stay at least; this cluster keeps them longer and never deletes.
import { KAFKA, KafkaRefusal } from './error-codes.ts';

/** Kafka's numbers for the types of settings, as DescribeConfigs gives them. */
export const CONFIG_TYPE = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;

export interface ConfigRule {
  readonly name: string;
  readonly fallback: string;
  readonly type: keyof typeof CONFIG_TYPE;
  /** The values that mean what they say here; absent: any value of the type. */
  readonly only?: readonly string[];
  readonly least?: number;
}

/** Sorted by name. */
export const TOPIC_CONFIGS: readonly ConfigRule[] = [
  { name: 'cleanup.policy', fallback: 'delete', type: 'list', only: ['delete'] },
  { name: 'compression.type', fallback: 'producer', type: 'string', only: ['producer'] },
  { name: 'delete.retention.ms', fallback: '86400000', type: 'long', least: 0 },
  { name: 'file.delete.delay.ms', fallback: '60000', type: 'long', least: 0 },
  { name: 'flush.messages', fallback: '9223372036854775807', type: 'long', least: 1 },
  { name: 'flush.ms', fallback: '9223372036854775807', type: 'long', least: 0 },
  { name: 'max.message.bytes', fallback: '1048588', type: 'int', least: 0 },
  { name: 'message.timestamp.type', fallback: 'CreateTime', type: 'string', only: ['CreateTime'] },
  { name: 'min.insync.replicas', fallback: '1', type: 'int', least: 1 },
  { name: 'retention.bytes', fallback: '-1', type: 'long', least: -1 },
  { name: 'retention.ms', fallback: '-1', type: 'long', least: -1 },
  { name: 'segment.bytes', fallback: '1073741824', type: 'int', least: 14 },
  { name: 'segment.ms', fallback: '604800000', type: 'long', least: 1 },
  { name: 'unclean.leader.election.enable', fallback: 'false', type: 'boolean', only: ['false'] },
];

const refuse = (message: string): never => {
  throw new KafkaRefusal(KAFKA.INVALID_CONFIG, message);
};

const checkValue = (rule: ConfigRule, value: string): void => {
  if (rule.only !== undefined && !rule.only.includes(value)) {
    refuse(`${rule.name} can only be ${rule.only.join(' or ')} on the embedded cluster, not "${value}".`);
  }
  if (rule.type !== 'int' && rule.type !== 'long') return;
  const isNumber = /^-?\d{1,19}$/.test(value);
  if (!isNumber || Number(value) < (rule.least ?? -Infinity)) {
    refuse(`${rule.name} must be a whole number of at least ${rule.least ?? 0}, not "${value}".`);
  }
};

/** Throws a KafkaRefusal (INVALID_CONFIG) for the first setting that is unknown or has a value we would not honour. */
export const checkTopicConfigs = (configs: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(configs)) {
    const rule = TOPIC_CONFIGS.find((candidate) => candidate.name === name);
    if (rule === undefined) refuse(`The embedded cluster has no topic setting named "${name}".`);
    else checkValue(rule, value);
  }
};

/** The value in force. */
export const topicConfig = (configs: Readonly<Record<string, string>>, name: string): string =>
  configs[name] ?? TOPIC_CONFIGS.find((rule) => rule.name === name)?.fallback ?? '';
