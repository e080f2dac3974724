// Which fields each kind of line has and what their values may be. A field that is not here is unknown, and malformed.
import { BOUNDARIES, FAULT_EDGES, PASS_ENDS, SNAPSHOT_MOMENTS, SURVIVALS } from '../../src/vocabulary.ts';

/** One line of the text, or an object inside it. */
export type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

const isString: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isNatural: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isPositive: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const isNumberOrString: Check = (value) => isNumber(value) || isString(value);
const isOneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** True for a JSON object, not for a list or null. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if the object has all required fields, no unknown one, and each value is of its type. */
export const hasShape = (value: unknown, shape: Shape): value is Fields => {
  if (!isObject(value)) return false;
  for (const name of Object.keys(shape.required)) if (!Object.hasOwn(value, name)) return false;
  return Object.entries(value).every(([name, field]) => {
    const check = Object.hasOwn(shape.required, name)
      ? shape.required[name]
      : Object.hasOwn(shape.optional, name)
        ? shape.optional[name]
        : undefined;
    return check?.(field) === true;
  });
};

const isShaped =
  (shape: Shape): Check =>
  (value) =>
    hasShape(value, shape);

const ALLOWANCE: Shape = { required: { anomaly: isString, because: isString }, optional: {} };

const CONTRACT: Shape = {
  required: {},
  optional: {
    acks: isOneOf(0, 1, 'all'),
    idempotence: isBoolean,
    transactions: isBoolean,
    minInSyncReplicas: isPositive,
    boundary: isOneOf(...BOUNDARIES),
    deliveryTimeout: isNumber,
    uncleanLeaderElection: isBoolean,
    uniqueKeys: isBoolean,
    deleteRecords: isBoolean,
    laggingReads: isBoolean,
    survives: isListOf(isOneOf(...SURVIVALS)),
    profile: isString,
    allow: isListOf(isShaped(ALLOWANCE)),
    forbid: isListOf(isString),
  },
};

const TOPIC: Shape = {
  required: { topic: isString, partitions: isPositive },
  optional: { replicationFactor: isPositive, exclusive: isBoolean, config: isObject },
};

const ID: Shape = {
  required: { producer: isString, seq: isNatural },
  optional: { incarnation: isNatural, partition: isNatural, run: isString },
};

const EPOCH_START: Shape = { required: { epoch: isNatural, offset: isNatural }, optional: {} };

const batch = {
  required: { at: isNumber, producer: isString, partition: isNatural, seq: isNatural },
  optional: { incarnation: isNatural, topic: isString, count: isPositive },
};

/** kind of line → its fields besides `t`. */
export const LINE_SHAPES: Readonly<Record<string, Shape>> = {
  history: {
    required: { version: isOneOf(1), run: isString, contract: isShaped(CONTRACT), topics: isListOf(isShaped(TOPIC)) },
    optional: {},
  },
  send: batch,
  ack: {
    required: batch.required,
    optional: { ...batch.optional, offset: isInteger, epoch: isInteger, attempts: isNatural, tainted: isBoolean },
  },
  error: {
    required: batch.required,
    optional: { ...batch.optional, code: isInteger, notSent: isBoolean, attempts: isNatural, tainted: isBoolean },
  },
  leader: {
    required: { at: isNumber, partition: isNatural, leader: isInteger, epoch: isInteger },
    optional: { topic: isString },
  },
  fault: {
    required: { at: isNumber, fault: isString, edge: isOneOf(...FAULT_EDGES) },
    optional: { id: isString, victims: isListOf(isInteger), everyBroker: isBoolean, require: isOneOf('mechanism') },
  },
  harness: { required: { at: isNumber, anomaly: isString, detail: isString }, optional: {} },
  offsets: {
    required: {
      at: isNumber,
      when: isOneOf(...SNAPSHOT_MOMENTS),
      partition: isNatural,
      earliest: isInteger,
      latest: isInteger,
    },
    optional: { topic: isString, latestCommitted: isInteger, topicId: isString, epoch: isInteger },
  },
  epochs: {
    required: { at: isNumber, partition: isNatural, starts: isListOf(isShaped(EPOCH_START)) },
    optional: { topic: isString },
  },
  sentinel: {
    required: { at: isNumber, partition: isNatural, offset: isInteger },
    optional: { topic: isString },
  },
  read: {
    required: { pass: isNumberOrString, partition: isNatural, offset: isInteger },
    optional: {
      topic: isString,
      id: isShaped(ID),
      count: isPositive,
      epoch: isInteger,
      checksum: isOneOf('ok', 'bad'),
      sentinel: isBoolean,
      control: isBoolean,
      producerId: isInteger,
      producerEpoch: isInteger,
    },
  },
  pass: {
    required: {
      pass: isNumberOrString,
      partition: isNatural,
      from: isInteger,
      position: isInteger,
      end: isOneOf(...PASS_ENDS),
    },
    optional: { topic: isString },
  },
};
