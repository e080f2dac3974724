// What the fields of a text history's lines may hold, as a table: the reader walks it, so a field is allowed exactly where
// this file names it. Times are milliseconds, offsets any safe integer.
import { FAULT_EDGES, PASS_ENDS, SNAPSHOT_MOMENTS } from '../vocabulary.ts';

export interface FieldRule {
  /** What the value must be, in words: `a text`. */
  readonly what: string;
  readonly accepts: (value: unknown) => boolean;
  readonly optional: boolean;
}

/** A line that cannot be taken as it stands; the reader adds the file and line. */
export class MalformedLine extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = new.target.name;
    this.hint = hint;
  }
}

type Rules = Readonly<Record<string, FieldRule>>;

const rule = (what: string, accepts: (value: unknown) => boolean): FieldRule => ({ what, accepts, optional: false });
const optional = (field: FieldRule): FieldRule => ({ ...field, optional: true });

/** The most records one line may name. */
const MOST_RECORDS = 10_000_000;

const isText = (value: unknown): value is string => typeof value === 'string';
const atLeast = (lowest: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= lowest;
const oneOf = (names: readonly string[]): FieldRule =>
  rule(`one of ${names.join(', ')}`, (value) => typeof value === 'string' && names.includes(value));

export const text = rule('a text', isText);
export const flag = rule('true or false', (value) => typeof value === 'boolean');
export const milliseconds = rule('a number of milliseconds', (value) => Number.isFinite(value));
export const integer = rule('an integer', (value) => Number.isSafeInteger(value));
export const natural = rule('an integer ≥ 0', atLeast(0));
const orNone = rule('an integer ≥ −1', atLeast(-1));
const records = rule(
  `an integer from 1 to ${MOST_RECORDS}`,
  (value) => atLeast(1)(value) && (value as number) <= MOST_RECORDS,
);
const passName = rule('a number or a text', (value) => Number.isFinite(value) || isText(value));
const brokerIds = rule('a list of broker ids', (value) => Array.isArray(value) && value.every(atLeast(0)));
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEpochStart = (value: unknown): boolean => {
  if (!isObject(value) || !('epoch' in value) || !('offset' in value)) return false;
  return Object.keys(value).length === 2 && atLeast(0)(value.epoch) && atLeast(0)(value.offset);
};
const epochStarts = rule(
  'a list of {epoch, offset}, each an integer ≥ 0',
  (value) => Array.isArray(value) && value.every(isEpochStart),
);
const object = rule('an object', isObject);

const place: Rules = { topic: optional(text), partition: natural };
const recordRun: Rules = {
  at: milliseconds,
  producer: text,
  incarnation: optional(natural),
  ...place,
  seq: natural,
  count: optional(records),
};
const attempted: Rules = { attempts: optional(natural), tainted: optional(flag) };

/** Field rules by line kind; `t` itself apart. The header has rules of its own (header-line.ts). */
export const LINE_RULES: Readonly<Record<string, Rules>> = {
  send: recordRun,
  ack: { ...recordRun, offset: optional(integer), epoch: optional(orNone), ...attempted },
  error: { ...recordRun, code: optional(integer), notSent: optional(flag), ...attempted },
  leader: { at: milliseconds, ...place, leader: orNone, epoch: orNone },
  fault: {
    at: milliseconds,
    fault: text,
    id: optional(text),
    edge: oneOf(FAULT_EDGES),
    victims: optional(brokerIds),
    everyBroker: optional(flag),
    require: optional(oneOf(['all', 'mechanism'])),
  },
  harness: { at: milliseconds, anomaly: text, detail: text },
  offsets: {
    at: milliseconds,
    when: oneOf(SNAPSHOT_MOMENTS),
    ...place,
    earliest: integer,
    latest: integer,
    latestCommitted: optional(integer),
    topicId: optional(text),
    epoch: optional(orNone),
  },
  epochs: { at: milliseconds, ...place, starts: epochStarts },
  sentinel: { at: milliseconds, ...place, offset: integer },
  read: {
    pass: passName,
    ...place,
    offset: integer,
    id: optional(object),
    count: optional(records),
    epoch: optional(orNone),
    checksum: optional(oneOf(['ok', 'bad'])),
    sentinel: optional(flag),
    control: optional(flag),
    producerId: optional(orNone),
    producerEpoch: optional(orNone),
  },
  pass: { pass: passName, ...place, from: integer, position: integer, end: oneOf(PASS_ENDS) },
};

export const ID_RULES: Rules = {
  producer: text,
  incarnation: optional(natural),
  seq: natural,
  partition: optional(natural),
  run: optional(text),
};

export type Fields = Readonly<Record<string, unknown>>;

/** Throws MalformedLine unless `value` is an object with the fields that `rules` names, `extra` ones apart. */
export const checkFields = (value: unknown, rules: Rules, where: string, extra: readonly string[] = []): Fields => {
  if (!object.accepts(value)) throw new MalformedLine(`${where} must be an object.`);
  const fields = value as Fields;
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(rules, name) || extra.includes(name)) continue;
    throw new MalformedLine(
      `${where} has no field "${name}".`,
      `Known: ${[...extra, ...Object.keys(rules)].join(', ')}.`,
    );
  }
  for (const [name, field] of Object.entries(rules)) {
    const given = fields[name];
    if (given === undefined) {
      if (!field.optional) throw new MalformedLine(`${where} lacks "${name}", ${field.what}.`);
    } else if (!field.accepts(given)) {
      throw new MalformedLine(`"${name}" of ${where} must be ${field.what}.`);
    }
  }
  return fields;
};
