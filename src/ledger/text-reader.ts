// Reads a text history: strictly, so that a slip in a hand-written line is named with its number and never judged.
import { InputError } from '../errors.ts';
import { parseHeaderLine } from './header-line.ts';
import { HistoryBuilder } from './history-builder.ts';
import type { BodyLine, HistoryLine } from './history-lines.ts';
import { checkFields, type Fields, ID_RULES, LINE_RULES, MalformedLine } from './line-fields.ts';
import type { RunFacts } from './run-facts.ts';

const isDataLine = (fields: Fields): boolean => fields['sentinel'] !== true && fields['control'] !== true;

/** −1 is "absent" in every epoch and producer id; `leader` lines keep it, because the field is theirs by right. */
const withoutNone = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== -1 || !(name === 'producerId' || name === 'producerEpoch' || name === 'epoch'),
    ),
  );

const checkRead = (fields: Fields): Fields => {
  if (fields['id'] === undefined) return fields;
  if (!isDataLine(fields)) throw new MalformedLine('A sentinel or control read has no "id".');
  const id = checkFields(fields['id'], ID_RULES, 'the id of a read');
  return { ...fields, id: { incarnation: 0, ...id } };
};

/** The last of the records that a line names has a number as well, which must be one that can be told from its neighbours. */
const checkEnd = (fields: Fields): void => {
  const more = (fields['count'] as number) - 1;
  const id = fields['id'] as Fields | undefined;
  for (const [name, first] of [
    ['seq', fields['seq']],
    ['offset', fields['offset']],
    ['seq', id?.['seq']],
  ] as const) {
    if (typeof first === 'number' && !Number.isSafeInteger(first + more)) {
      throw new MalformedLine(
        `"${name}" and "count" go beyond the largest number there is, ${Number.MAX_SAFE_INTEGER}.`,
      );
    }
  }
};

const DEFAULTS: Readonly<Record<string, Fields>> = {
  send: { incarnation: 0, count: 1 },
  ack: { incarnation: 0, count: 1, attempts: 1, tainted: false },
  error: { incarnation: 0, count: 1, attempts: 1, tainted: false },
  read: { count: 1 },
};

const finishLine = (kind: string, fields: Fields): Fields => {
  switch (kind) {
    case 'fault':
      return { id: fields['fault'], ...fields };
    case 'leader':
      return fields;
    case 'error':
      if (fields['code'] === 0) throw new MalformedLine('Code 0 is no error; write an ack line.');
      return fields;
    case 'read':
      return withoutNone(checkRead(fields));
    default:
      return withoutNone(fields);
  }
};

/** Turns JSON values into lines one after the other, defaults filled in. Throws MalformedLine. */
export class LineParser {
  readonly #onlyTopic: string | undefined;
  #at = Number.NEGATIVE_INFINITY;

  constructor(header: HistoryLine) {
    this.#onlyTopic = header.topics.length === 1 ? header.topics[0]?.topic : undefined;
  }

  parse(value: unknown): BodyLine {
    const kind = typeof value === 'object' && value !== null && 't' in value ? value.t : undefined;
    if (kind === 'history') throw new MalformedLine('There is a second history line.');
    const rules = typeof kind === 'string' && Object.hasOwn(LINE_RULES, kind) ? LINE_RULES[kind] : undefined;
    if (typeof kind !== 'string' || rules === undefined) {
      throw new MalformedLine(
        'The line names no kind of line in "t".',
        `Known: history, ${Object.keys(LINE_RULES).join(', ')}.`,
      );
    }
    const fields = checkFields(value, rules, `the ${kind} line`, ['t']);
    this.#checkTime(fields);
    const placed = 'partition' in rules ? { ...fields, topic: this.#topic(fields, kind) } : fields;
    const finished = finishLine(kind, { ...DEFAULTS[kind], ...placed });
    if (finished['count'] !== undefined) checkEnd(finished);
    return finished as unknown as BodyLine;
  }

  #topic(fields: Fields, kind: string): string {
    const topic = fields['topic'] ?? this.#onlyTopic;
    if (typeof topic === 'string') return topic;
    throw new MalformedLine(`The ${kind} line must name its topic, because the header does not name exactly one.`);
  }

  #checkTime(fields: Fields): void {
    const at = fields['at'];
    if (typeof at !== 'number') return;
    if (at < this.#at) throw new MalformedLine(`Time goes back, from ${this.#at} to ${at} ms.`);
    this.#at = at;
  }
}

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new MalformedLine(line.trim() === '' ? 'The line is empty.' : 'The line is not JSON.');
  }
};

/** Feeds lines in order; `finish` gives the facts. Throws InputError naming file and line. */
export class TextHistoryReader {
  readonly #file: string;
  #builder: HistoryBuilder | undefined;
  #parser: LineParser | undefined;
  #line = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** One line without its line feed. */
  line(text: string): void {
    this.#line++;
    this.#guard(() => {
      const value = parseJson(text);
      if (this.#builder === undefined || this.#parser === undefined) {
        const header = parseHeaderLine(value);
        this.#builder = new HistoryBuilder(header);
        this.#parser = new LineParser(header);
      } else {
        this.#builder.add(this.#parser.parse(value), this.#line);
      }
    });
  }

  finish(): RunFacts {
    if (this.#builder === undefined) {
      this.#line = 1;
      this.#guard(() => {
        throw new MalformedLine('The history is empty; its first line must be the history line.');
      });
    }
    return (this.#builder as HistoryBuilder).finish();
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      if (!(thrown instanceof MalformedLine)) throw thrown;
      throw new InputError('MALFORMED_HISTORY', thrown.message, {
        place: { file: this.#file, line: this.#line },
        ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
      });
    }
  }
}

/** Reads a whole text history. `file` names it in errors. Throws InputError with the line number. */
export const readText = (text: string, file: string): RunFacts => {
  const reader = new TextHistoryReader(file);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) reader.line(line);
  return reader.finish();
};
