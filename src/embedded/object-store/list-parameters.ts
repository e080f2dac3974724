// The parameters that all listings have in common: how many, and whether names are percent-encoded, for clients whose XML cannot hold
// every character.
import { S3Error } from './s3-error.ts';
import { textElement } from './xml.ts';

const MOST = 1000;

/** `max-keys` and its like: at most a thousand, which is also the default. Throws InvalidArgument. */
export const countOf = (query: URLSearchParams, name: string): number => {
  const text = query.get(name);
  if (text === null || text === '') return MOST;
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2_147_483_647) {
    throw new S3Error('InvalidArgument', `${name} is not a whole number between 0 and 2147483647.`);
  }
  return Math.min(Number(text), MOST);
};

/** Throws InvalidArgument. */
export const encoderOf = (query: URLSearchParams): ((text: string) => string) => {
  const encoding = query.get('encoding-type');
  if (encoding === null) return (text) => text;
  if (encoding === 'url') return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
  throw new S3Error('InvalidArgument', 'The only encoding-type is url.');
};

/** Echoes a parameter of the request, when it was given. */
export const echo = (name: string, value: string | null): string[] =>
  value === null ? [] : [textElement(name, value)];
