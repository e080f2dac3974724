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
  readonly note?: string;
}

const quoted = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : JSON.stringify(value));

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
  const value = (issue.input as Readonly<Record<string, unknown>> | null | undefined)?.[issue.discriminator];
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
    default:
      return `a ${expected}`;
  }
};

const describeIssue = (raw: unknown): string | undefined => {
  const issue = raw as RawIssue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeys(issue);
    case 'invalid_value':
      return issue.input === undefined ? undefined : notAllowed(issue.input, issue.values ?? []);
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_type':
      return issue.input === undefined
        ? `missing: ${typeInWords(issue.expected)} is needed here.`
        : `expected ${typeInWords(issue.expected)}, found ${issue.input === null ? 'nothing' : quoted(issue.input)}.`;
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
  const parsed = schema.safeParse(document.data, { error: describeIssue, reportInput: true });
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(document, issue, codePrefix));
  return { problems: sortByPlace(problems) };
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
