// One page of ListObjectsV2 as a pure function of the sorted keys. A page begins after a name, not at a number, so keys that
// exist for the whole time of a listing are seen exactly once however many others come and go between its pages.
import type { SortedKeys } from './key-order.ts';

export interface ListRequest {
  readonly prefix: string;
  /** Empty for none. */
  readonly delimiter: string;
  /** 0 to 1000. */
  readonly maxKeys: number;
  /** Continue behind this key, or behind every key of this common prefix; undefined for the first page. */
  readonly after?: PagePosition;
}

export interface PagePosition {
  readonly kind: 'key' | 'prefix';
  readonly name: string;
}

export interface ListPage {
  readonly keys: readonly string[];
  readonly commonPrefixes: readonly string[];
  /** Where the next page begins; undefined when this was the last. */
  readonly next?: PagePosition;
}

const startIndex = (keys: SortedKeys, request: ListRequest): number => {
  const first = keys.firstNotBefore(request.prefix);
  if (request.after === undefined) return first;
  const { kind, name } = request.after;
  return Math.max(first, kind === 'prefix' ? keys.firstAfterPrefix(name) : keys.firstAfter(name));
};

const commonPrefixOf = (key: string, request: ListRequest): string | undefined => {
  if (request.delimiter === '') return undefined;
  const found = key.indexOf(request.delimiter, request.prefix.length);
  return found < 0 ? undefined : key.slice(0, found + request.delimiter.length);
};

/** The next page of keys and common prefixes, together at most `maxKeys`, in key order. */
export const listPage = (keys: SortedKeys, request: ListRequest): ListPage => {
  const found: string[] = [];
  const commonPrefixes: string[] = [];
  let last: PagePosition | undefined;
  let index = startIndex(keys, request);
  for (;;) {
    const key = keys.at(index);
    if (key?.startsWith(request.prefix) !== true || request.maxKeys === 0) return { keys: found, commonPrefixes };
    if (found.length + commonPrefixes.length === request.maxKeys) {
      return { keys: found, commonPrefixes, ...(last === undefined ? {} : { next: last }) };
    }
    const common = commonPrefixOf(key, request);
    if (common === undefined) {
      found.push(key);
      last = { kind: 'key', name: key };
      index += 1;
    } else {
      commonPrefixes.push(common);
      last = { kind: 'prefix', name: common };
      index = keys.firstAfterPrefix(common);
    }
  }
};

/** A continuation token: opaque to clients, checked when it comes back. */
export const tokenOf = (position: PagePosition): string =>
  Buffer.from(JSON.stringify([position.kind, position.name])).toString('base64url');

/** Undefined for a token that is not one of ours. */
export const positionOf = (token: string): PagePosition | undefined => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed)) return undefined;
    const [kind, name] = parsed as unknown[];
    return (kind === 'key' || kind === 'prefix') && typeof name === 'string' ? { kind, name } : undefined;
  } catch {
    return undefined;
  }
};
