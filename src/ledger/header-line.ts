// The first line of a history, which is also a run directory's contract.json: the run, its contract with every default
// resolved, and its topics.
import { suggestName } from '../errors.ts';
import {
  type Acks,
  ANOMALIES,
  type Anomaly,
  BOUNDARIES,
  type Boundary,
  SURVIVALS,
  type Survival,
} from '../vocabulary.ts';
import type { Allowance, Contract, HistoryLine, TopicDescription } from './history-lines.ts';
import { checkFields, type FieldRule, type Fields, flag, MalformedLine, natural, text } from './line-fields.ts';

/** The text form's version; a reader refuses a newer one. */
const HISTORY_VERSION = 1;
const MOST_PARTITIONS = 1_000_000;

const maybe = (field: FieldRule): FieldRule => ({ ...field, optional: true });
const list: FieldRule = { what: 'a list', accepts: Array.isArray, optional: true };
const mapping: FieldRule = {
  what: 'an object',
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  optional: true,
};
const acksRule: FieldRule = {
  what: '0, 1 or "all"',
  accepts: (value) => value === 0 || value === 1 || value === 'all' || value === '0' || value === '1',
  optional: true,
};
const count: FieldRule = {
  what: `an integer from 1 to ${MOST_PARTITIONS}`,
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MOST_PARTITIONS,
  optional: false,
};
const duration: FieldRule = {
  what: 'a number of milliseconds ≥ 0',
  accepts: (value) => Number.isFinite(value) && (value as number) >= 0,
  optional: true,
};

const CONTRACT_RULES = {
  acks: acksRule,
  idempotence: maybe(flag),
  transactions: maybe(flag),
  minInSyncReplicas: maybe(count),
  boundary: maybe(text),
  deliveryTimeout: duration,
  uncleanLeaderElection: maybe(flag),
  uniqueKeys: maybe(flag),
  deleteRecords: maybe(flag),
  laggingReads: maybe(flag),
  survives: list,
  profile: maybe(text),
  allow: list,
  forbid: list,
};

const nameIn = <T extends string>(value: unknown, known: readonly T[], where: string): T => {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new MalformedLine(`${where} names "${String(value)}", which there is not.`, suggestName(String(value), known));
};

const parseAllowance = (value: unknown): Allowance => {
  const fields = checkFields(value, { anomaly: text, because: text }, 'an allowance of the contract');
  return {
    anomaly: nameIn(fields['anomaly'], ANOMALIES, 'an allowance of the contract'),
    because: fields['because'] as string,
  };
};

const acksOf = (value: unknown): Acks => (value === undefined || value === 'all' ? 'all' : Number(value) === 0 ? 0 : 1);

/** A contract in its text form, defaults resolved. Throws MalformedLine. */
const parseContract = (value: unknown): Contract => {
  const fields = checkFields(value, CONTRACT_RULES, 'the contract');
  const or = <T>(name: string, otherwise: T): T => (fields[name] === undefined ? otherwise : (fields[name] as T));
  return {
    acks: acksOf(fields['acks']),
    idempotence: or('idempotence', false),
    transactions: or('transactions', false),
    minInSyncReplicas: or('minInSyncReplicas', 1),
    boundary: nameIn<Boundary>(or('boundary', 'replicated'), BOUNDARIES, 'the boundary of the contract'),
    deliveryTimeoutMs: or('deliveryTimeout', 30_000),
    uncleanLeaderElection: or('uncleanLeaderElection', false),
    uniqueKeys: or('uniqueKeys', false),
    deleteRecords: or('deleteRecords', false),
    laggingReads: or('laggingReads', false),
    survives: or<readonly unknown[]>('survives', []).map((name) =>
      nameIn<Survival>(name, SURVIVALS, 'survives of the contract'),
    ),
    profile: or('profile', 'apache-kafka'),
    allow: or<readonly unknown[]>('allow', []).map(parseAllowance),
    forbid: or<readonly unknown[]>('forbid', []).map((name) =>
      nameIn<Anomaly>(name, ANOMALIES, 'forbid of the contract'),
    ),
  };
};

const TOPIC_RULES = {
  topic: text,
  partitions: count,
  replicationFactor: maybe(count),
  exclusive: maybe(flag),
  config: mapping,
};

const parseTopic = (value: unknown): TopicDescription => {
  const fields = checkFields(value, TOPIC_RULES, 'a topic of the header');
  return fields as unknown as TopicDescription;
};

/** The `history` line from its JSON value. Throws MalformedLine. */
export const parseHeaderLine = (value: unknown): HistoryLine => {
  if (typeof value === 'object' && value !== null && 't' in value && value.t !== 'history')
    throw new MalformedLine('The first line must be the history line.');
  const known = {
    version: natural,
    run: text,
    contract: { ...mapping, optional: false },
    topics: { ...list, optional: false },
  };
  const fields: Fields = checkFields(value, known, 'the history line', ['t']);
  const version = fields['version'] as number;
  if (version !== HISTORY_VERSION) {
    throw new MalformedLine(
      `The history has version ${version}; this ackproof reads version ${HISTORY_VERSION}.`,
      'Judge it with the version of ackproof that wrote it, or a later one.',
    );
  }
  const topics = (fields['topics'] as readonly unknown[]).map(parseTopic);
  const names = topics.map(({ topic }) => topic);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new MalformedLine(`The header names the topic "${twice}" twice.`);
  return {
    t: 'history',
    version: 1,
    run: fields['run'] as string,
    contract: parseContract(fields['contract']),
    topics,
  };
};

/** A header as its text form's JSON value: what `parseHeaderLine` reads back. */
export const headerToText = (header: HistoryLine): Fields => {
  const { deliveryTimeoutMs, ...contract } = header.contract;
  return {
    t: 'history',
    version: header.version,
    run: header.run,
    contract: { ...contract, deliveryTimeout: deliveryTimeoutMs },
    topics: header.topics,
  };
};
