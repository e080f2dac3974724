// Turns what Zod says about a document into ackproof's own problems: one for each mistake, with its line and column, the
// values that would have been allowed, and the nearest known name.
import type { z } from 'zod';
import { InputError, suggestName } from '../errors.ts';
import type { YamlDocument } from './yaml-document.ts';

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

const unknownKeys = (issue: RawIssue): string => {
  const known = Object.keys(issue.inst?._zod?.def?.shape ?? {});
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

const describeIssue = (raw: unknown): string | undefined => {
  const issue = raw as RawIssue;
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
      return issue.input === undefined
        ? `missing: ${typeInWords(issue.expected)} is needed here.`
        : `expected ${typeInWords(issue.expected)}, found ${quoted(issue.input)}.`;
    default:
      return undefined;
  }
};

const asPath = (path: readonly PropertyKey[]): (string | number)[] =>
  path.map((part) => (typeof part === 'symbol' ? part.toString() : part));

/** Parses `document` with `schema`; on mistakes returns all of them, sorted by place. `codePrefix` e.g. `SCENARIO`. */
export const parseDocumentWith = <T extends z.ZodType>(
  document: YamlDocument,
  schema: T,
  codePrefix: string,
): { readonly value: z.infer<T> } | { readonly problems: readonly InputError[] } => {
  if (document.problems.length > 0) return { problems: document.problems };
  // Without Zod's compiled parsers: each schema reads one document, and compiling costs more than it saves.
  const parsed = schema.safeParse(document.data, { error: describeIssue, reportInput: true, jitless: true });
  if (parsed.success) return { value: parsed.data };
  const problems = narrowest(parsed.error.issues).flatMap((issue) => problemsOf(document, issue, codePrefix));
  return { problems: sortByPlace(problems) };
};

/** A number that breaks two limits is told the narrower one, which comes last. */
const narrowest = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] => {
  const keyOf = ({ code, path }: z.core.$ZodIssue): string => JSON.stringify([code, asPath(path)]);
  const isLimit = ({ code }: z.core.$ZodIssue): boolean => code === 'too_big' || code === 'too_small';
  const last = new Map(issues.map((issue) => [keyOf(issue), issue]));
  return issues.filter((issue) => !isLimit(issue) || last.get(keyOf(issue)) === issue);
};

const problemsOf = (document: YamlDocument, issue: z.core.$ZodIssue, prefix: string): InputError[] => {
  const path = asPath(issue.path);
  const name = path.length === 0 ? '' : `${path.join('.')}: `;
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map(
      (key, index) =>
        new InputError(`${prefix}_UNKNOWN_KEY`, `${name}${messages[index] ?? `unknown key "${key}".`}`, {
          place: document.placeOfKey(path, key),
        }),
    );
  }
  if (issue.code === 'invalid_union' && 'discriminator' in issue && typeof issue.discriminator === 'string') {
    return [problem(prefix, 'UNKNOWN_NAME', issue.message, document, [...path, issue.discriminator], name)];
  }
  return [problem(prefix, 'INVALID', issue.message, document, path, name)];
};

const problem = (
  prefix: string,
  code: string,
  message: string,
  document: YamlDocument,
  path: readonly (string | number)[],
  name: string,
): InputError => new InputError(`${prefix}_${code}`, `${name}${message}`, { place: document.placeOf(path) });

/** By line, then column; problems without a place come first. */
export const sortByPlace = (problems: readonly InputError[]): InputError[] =>
  [...problems].sort(
    (one, other) =>
      (one.place?.line ?? 0) - (other.place?.line ?? 0) || (one.place?.column ?? 0) - (other.place?.column ?? 0),
  );
