// Turns what Zod says about a document into ackproof's own problems: one for each mistake, with its line and column, the
// values that would have been allowed, and the nearest known name.
import type { z } from 'zod';
import { InputError, nearestName, suggestName } from '../errors.ts';
import type { YamlDocument, YamlPath } from './yaml-document.ts';

/** The parts of Zod's raw issues that are read here; `inst` is the schema that complained. */
interface RawIssue {
  readonly code: string;
  readonly input?: unknown;
  readonly inst?: { readonly _zod?: { readonly def?: { readonly shape?: object; readonly options?: unknown } } };
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly discriminator?: string;
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** Longer ones are cut: a complaint is one line. */
const MOST_QUOTED = 60;

const quotedText = (text: string): string =>
  text.length <= MOST_QUOTED ? `"${text}"` : `"${text.slice(0, MOST_QUOTED)}…"`;

/** A value as its writer would know it again. */
const quoted = (value: unknown): string => {
  if (typeof value === 'string') return quotedText(value);
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && Number.isNaN(value)) return '.nan, which is no number';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const knownKeys = (issue: RawIssue): readonly string[] => Object.keys(issue.inst?._zod?.def?.shape ?? {});

const unknownKeys = (issue: RawIssue): string => {
  const known = knownKeys(issue);
  return (issue.keys ?? []).map((key) => `unknown key "${key}". ${suggestName(key, known)}`).join('\n');
};

const notAllowed = (value: unknown, allowed: readonly unknown[]): string => {
  const names = allowed.map(String);
  return typeof value === 'string'
    ? `${quoted(value)} is not allowed here. ${suggestName(value, names)}`
    : `${quoted(value)} is not allowed here. Allowed: ${names.join(', ')}.`;
};

const discriminatorValues = (issue: RawIssue): readonly string[] => {
  const options = (issue.inst?._zod?.def?.options ?? []) as readonly {
    readonly _zod: { readonly propValues?: Readonly<Record<string, ReadonlySet<unknown>>> };
  }[];
  const name = issue.discriminator ?? '';
  return options.flatMap((option) => [...(option._zod.propValues?.[name] ?? [])].map(String));
};

const unionMessage = (issue: RawIssue): string | undefined => {
  if (issue.discriminator === undefined) return undefined;
  if (!isObject(issue.input)) return `expected a mapping (key: value), found ${quoted(issue.input)}.`;
  const value = (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
  const allowed = discriminatorValues(issue);
  if (value === undefined) return `"${issue.discriminator}" is missing. Known: ${allowed.join(', ')}.`;
  return typeof value === 'string'
    ? `no ${issue.discriminator} named ${quoted(value)}. ${suggestName(value, allowed)}`
    : `"${issue.discriminator}" must be one of: ${allowed.join(', ')}.`;
};

/** A type by its name in YAML. */
const typeInWords = (expected: string | undefined): string => {
  switch (expected) {
    case undefined:
      return 'another value';
    case 'object':
      return 'a mapping (key: value)';
    case 'array':
      return 'a list';
    case 'int':
      return 'a whole number';
    default:
      return `a ${expected}`;
  }
};

/** What YAML reads as a number or a truth value where a text is wanted was most often meant as that text. */
const typeMessage = ({ input, expected }: RawIssue): string => {
  if (input === undefined) return `missing: ${typeInWords(expected)} is needed here.`;
  const isBare = expected === 'string' && (typeof input === 'number' || typeof input === 'boolean');
  const advice = isBare ? ` Write it in quotes if that is meant: "${String(input)}".` : '';
  return `expected ${typeInWords(expected)}, found ${quoted(input)}.${advice}`;
};

const unitOf = ({ origin }: RawIssue): string => {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
};

/** What is written: a number itself, of a text or a list its length. */
const sizeOf = (issue: RawIssue): string => {
  const { input } = issue;
  return typeof input === 'string' || Array.isArray(input) ? `${input.length}${unitOf(issue)}` : quoted(input);
};

const valueMessage = ({ input, values = [] }: RawIssue): string =>
  input === undefined ? `missing. Write ${values.map(String).join(' or ')}.` : notAllowed(input, values);

const describeIssue = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeys(issue);
    case 'invalid_value':
      return valueMessage(issue);
    case 'too_big':
      return `${sizeOf(issue)} is too much; at most ${String(issue.maximum)}${unitOf(issue)} may be written here.`;
    case 'too_small':
      return `${sizeOf(issue)} is too little; at least ${String(issue.minimum)}${unitOf(issue)} must be written here.`;
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_type':
      return typeMessage(issue);
    default:
      return undefined;
  }
};

const asPath = (path: readonly PropertyKey[]): (string | number)[] =>
  path.map((part) => (typeof part === 'symbol' ? part.toString() : part));

/** One mistake, and the part of the document that cannot be used because of it. */
export interface Mistake {
  readonly problem: InputError;
  readonly path: YamlPath;
  /** For a key that nobody knows: the known one that was probably meant, which is then not what it seems to be either. */
  readonly meant?: string;
}

export type ParsedDocument<T> =
  | { readonly value: T }
  | { readonly problems: readonly InputError[]; readonly mistakes: readonly Mistake[] };

/** The keys that a mapping may have, by the list of those it may not have: all that is left of the schema in Zod's answer. */
type KnownKeys = Map<readonly string[], readonly string[]>;

/** Parses `document` with `schema`; on mistakes returns all of them, sorted by place. `codePrefix` e.g. `SCENARIO`. */
export const parseDocumentWith = <T extends z.ZodType>(
  document: YamlDocument,
  schema: T,
  codePrefix: string,
): ParsedDocument<z.infer<T>> => {
  if (document.problems.length > 0) return { problems: document.problems, mistakes: [] };
  const known: KnownKeys = new Map();
  const error = (raw: unknown): string | undefined => {
    const issue = raw as RawIssue;
    if (issue.keys !== undefined) known.set(issue.keys, knownKeys(issue));
    return describeIssue(issue);
  };
  const parsed = schema.safeParse(document.data, { error, reportInput: true, jitless: true });
  if (parsed.success) return { value: parsed.data };
  const mistakes = narrowest(parsed.error.issues).flatMap((issue) => mistakesOf(document, issue, codePrefix, known));
  return { problems: sortByPlace(mistakes.map(({ problem }) => problem)), mistakes };
};

/** A number that breaks two limits is told the narrower one, which comes last. */
const narrowest = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] => {
  const keyOf = ({ code, path }: z.core.$ZodIssue): string => JSON.stringify([code, asPath(path)]);
  const isLimit = ({ code }: z.core.$ZodIssue): boolean => code === 'too_big' || code === 'too_small';
  const last = new Map(issues.map((issue) => [keyOf(issue), issue]));
  return issues.filter((issue) => !isLimit(issue) || last.get(keyOf(issue)) === issue);
};

const namePath = (path: YamlPath): string => (path.length === 0 ? '' : `${path.join('.')}: `);

const mistakesOf = (document: YamlDocument, issue: z.core.$ZodIssue, prefix: string, known: KnownKeys): Mistake[] => {
  const path = asPath(issue.path);
  const name = namePath(path);
  const mistake = (code: string, at: YamlPath): Mistake => ({
    problem: new InputError(`${prefix}_${code}`, `${name}${issue.message}`, { place: document.placeOf(at) }),
    path,
  });
  if (issue.code === 'unrecognized_keys') return unknownKeyMistakes(document, issue, prefix, known);
  if (issue.code === 'invalid_union' && 'discriminator' in issue && typeof issue.discriminator === 'string') {
    return [mistake('UNKNOWN_NAME', [...path, issue.discriminator])];
  }
  return [mistake('INVALID', path)];
};

const unknownKeyMistakes = (
  document: YamlDocument,
  issue: z.core.$ZodIssueUnrecognizedKeys,
  prefix: string,
  known: KnownKeys,
): Mistake[] => {
  const path = asPath(issue.path);
  const name = namePath(path);
  const messages = issue.message.split('\n');
  return issue.keys.map((key, index) => {
    const message = `${name}${messages[index] ?? `unknown key "${key}".`}`;
    const problem = new InputError(`${prefix}_UNKNOWN_KEY`, message, { place: document.placeOfKey(path, key) });
    const meant = nearestName(key, known.get(issue.keys) ?? []);
    return { problem, path: [...path, key], ...(meant === undefined ? {} : { meant }) };
  });
};

/** By line, then column; problems without a place come first. */
export const sortByPlace = (problems: readonly InputError[]): InputError[] =>
  [...problems].sort(
    (one, other) =>
      (one.place?.line ?? 0) - (other.place?.line ?? 0) || (one.place?.column ?? 0) - (other.place?.column ?? 0),
  );
