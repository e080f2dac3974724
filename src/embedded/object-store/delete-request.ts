// The body of DeleteObjects: which keys to delete, and whether the answer lists them. Read with patterns, not a parser: the
// document is a flat list, and whatever does not look like one is refused.
import { S3Error } from './s3-error.ts';

export interface DeleteRequest {
  readonly keys: readonly string[];
  /** The answer then names nothing that was deleted. */
  readonly quiet: boolean;
}

/** The most keys S3 takes in one request. */
const MOST_KEYS = 1000;

const NAMED: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Undefined for a number that is no character. */
const numbered = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

const characterOf = (reference: string): string | undefined => {
  if (reference.startsWith('#x')) return numbered(Number.parseInt(reference.slice(2), 16));
  return reference.startsWith('#') ? numbered(Number(reference.slice(1))) : NAMED[reference];
};

const unescapeXml = (text: string): string =>
  text.replace(
    /&(#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,4});/g,
    (whole, reference: string) => characterOf(reference) ?? whole,
  );

const malformed = (why: string): S3Error => new S3Error('MalformedXML', `The list of keys to delete ${why}.`);

/** Throws MalformedXML, and NotImplemented for a version or a condition on one of the objects. */
export const parseDeleteRequest = (body: Buffer): DeleteRequest => {
  const document = body.toString('utf8');
  const objects = [...document.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, inner = '']) => inner);
  if (!/<Delete[\s>]/.test(document) || objects.length === 0) throw malformed('is empty or no list');
  if (objects.length > MOST_KEYS) throw malformed(`has more than ${MOST_KEYS} entries`);
  const keys = objects.map((inner) => {
    const [, key, rest = ''] = /^\s*<Key>([^<]+)<\/Key>(.*)$/s.exec(inner) ?? [];
    if (key === undefined) throw malformed('has an entry that does not begin with its key');
    if (rest.trim() !== '') throw new S3Error('NotImplemented', 'This store deletes by key alone.');
    return unescapeXml(key);
  });
  return { keys, quiet: /<Quiet>\s*true\s*<\/Quiet>/.test(document) };
};
