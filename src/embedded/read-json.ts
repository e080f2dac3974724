// Reading JSON that came from outside: a field is what it should be, or an InputError says which one is not. Used for the
// configuration of the programs and for the calls they make to each other.
import { InputError } from '../errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const wrong = (field: string, wanted: string): InputError =>
  new InputError('EMBEDDED_BAD_FIELD', `"${field}" must be ${wanted}.`, {
    hint: 'Compare with the settings described at the top of the program.',
  });

export const objectOf = (value: unknown, field = 'the document'): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'an object');
  return value as JsonObject;
};

export const textIn = (value: unknown, field: string): string => {
  const text = objectOf(value)[field];
  if (typeof text !== 'string' || text === '') throw wrong(field, 'a text');
  return text;
};

export const integerIn = (value: unknown, field: string, fallback?: number): number => {
  const number = objectOf(value)[field] ?? fallback;
  if (!Number.isSafeInteger(number)) throw wrong(field, 'a whole number');
  return number as number;
};

export const recordOfStrings = (value: unknown, field: string): Readonly<Record<string, string>> => {
  const record = objectOf(objectOf(value)[field] ?? {}, field);
  if (!Object.values(record).every((entry) => typeof entry === 'string')) throw wrong(field, 'an object of texts');
  return record as Readonly<Record<string, string>>;
};

export const textsIn = (value: unknown, field: string): readonly string[] => {
  const list = objectOf(value)[field] ?? [];
  if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string')) throw wrong(field, 'a list of texts');
  return list;
};

export const endpointIn = (value: unknown, field: string): { readonly host: string; readonly port: number } => {
  const endpoint = objectOf(objectOf(value)[field], field);
  return { host: textIn(endpoint, 'host'), port: integerIn(endpoint, 'port') };
};
