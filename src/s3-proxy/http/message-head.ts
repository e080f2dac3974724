// The head of an HTTP/1.1 message, read without losing a byte of it: lines keep their order, their case and their blanks, because
// what is passed on is cut from the bytes that came, never written anew (docs/decisions/0013).
import { HttpRefusal } from './http-refusal.ts';

export interface HeaderLine {
  /** Lower case. */
  readonly name: string;
  /** Without the blanks around it. */
  readonly value: string;
  /** Where the line stands in the head's bytes; `end` is behind its line end. */
  readonly start: number;
  readonly end: number;
}

export interface MessageHead {
  /** All of it, the empty line at its end included. */
  readonly bytes: Buffer;
  readonly headers: readonly HeaderLine[];
}

export interface RequestHead extends MessageHead {
  readonly method: string;
  /** As written: origin form, absolute form or `*`. */
  readonly target: string;
  readonly minorVersion: 0 | 1;
}

export interface ResponseHead extends MessageHead {
  readonly status: number;
  readonly minorVersion: 0 | 1;
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/u;
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^ \t]+) HTTP\/(\d)\.(\d)$/u;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/u;
const LINE_END = 2;

const headerAt = (line: string, start: number): HeaderLine => {
  const [, name, value = ''] = HEADER.exec(line) ?? [];
  if (name === undefined) throw new HttpRefusal(400, 'A header line cannot be read.');
  return { name: name.toLowerCase(), value, start, end: start + line.length + LINE_END };
};

/** The first line and the headers of a whole head. */
const linesOf = (bytes: Buffer): { readonly first: string; readonly headers: readonly HeaderLine[] } => {
  const lines = bytes.toString('latin1', 0, bytes.length - 2 * LINE_END).split('\r\n');
  if (lines.some((line) => /[\0\r\n]/u.test(line))) throw new HttpRefusal(400, 'A line of the head ends otherwise.');
  const [first = '', ...rest] = lines;
  let start = first.length + LINE_END;
  const headers = rest.map((line) => {
    const header = headerAt(line, start);
    start = header.end;
    return header;
  });
  return { first, headers };
};

/** Throws HttpRefusal. */
export const parseRequestHead = (bytes: Buffer): RequestHead => {
  const { first, headers } = linesOf(bytes);
  const [, method, target = '', major, minor] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined) throw new HttpRefusal(400, 'The request line cannot be read.');
  if (major !== '1' || (minor !== '0' && minor !== '1'))
    throw new HttpRefusal(505, 'Only HTTP/1.1 and 1.0 are spoken.');
  if (method === 'CONNECT') throw new HttpRefusal(501, 'This is no proxy for tunnels.');
  return { bytes, headers, method, target, minorVersion: minor === '1' ? 1 : 0 };
};

/** Throws HttpRefusal. */
export const parseResponseHead = (bytes: Buffer): ResponseHead => {
  const { first, headers } = linesOf(bytes);
  const [, minor, status] = STATUS_LINE.exec(first) ?? [];
  if (status === undefined) throw new HttpRefusal(400, 'The status line cannot be read.');
  return { bytes, headers, status: Number(status), minorVersion: minor === '1' ? 1 : 0 };
};

/** Every value of a header, in order. */
export const valuesOf = (head: MessageHead, name: string): readonly string[] =>
  head.headers.filter((header) => header.name === name).map(({ value }) => value);

export const valueOf = (head: MessageHead, name: string): string | undefined =>
  head.headers.find((header) => header.name === name)?.value;

/** The words of a header that is a list, lower case. */
export const wordsOf = (head: MessageHead, name: string): readonly string[] =>
  valuesOf(head, name).flatMap((value) => value.split(',').map((word) => word.trim().toLowerCase()));

/** Whether its sender wants the connection to go on after this message. */
export const isPersistent = (head: RequestHead | ResponseHead): boolean =>
  head.minorVersion === 1 && !wordsOf(head, 'connection').includes('close');

/**
 * Headers of one connection, which are not passed on. `transfer-encoding` and `trailer` belong to them by the letter, and stay,
 * because the body they describe is passed on as it is.
 */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'upgrade',
]);
/** What no `Connection` header may talk away. */
const END_TO_END = new Set(['content-length', 'expect', 'host', 'trailer', 'transfer-encoding']);

/** Names that the request's signature covers, lower case. */
const signedNames = (head: MessageHead): readonly string[] =>
  valuesOf(head, 'authorization').flatMap(
    (value) => /SignedHeaders=([^,\s]+)/u.exec(value)?.[1]?.toLowerCase().split(';') ?? [],
  );

/** The bytes of `head` without some lines of it, and with `added` lines (each with its line end) at its end. */
const cutAndAdd = (head: MessageHead, isCut: (header: HeaderLine) => boolean, added: string): Buffer => {
  const cut = head.headers.filter(isCut);
  if (cut.length === 0 && added === '') return head.bytes;
  const kept: Buffer[] = [];
  let from = 0;
  for (const { start, end } of cut) {
    kept.push(head.bytes.subarray(from, start));
    from = end;
  }
  kept.push(head.bytes.subarray(from, head.bytes.length - LINE_END), Buffer.from(`${added}\r\n`, 'latin1'));
  return Buffer.concat(kept);
};

/** What is passed on of a head: all of it but what is about one connection. What a request's signature covers stays. */
export const passedOn = (head: MessageHead, added = ''): Buffer => {
  const named = wordsOf(head, 'connection').filter((name) => !END_TO_END.has(name));
  const signed = signedNames(head);
  const isCut = ({ name }: HeaderLine): boolean =>
    (HOP_BY_HOP.has(name) || named.includes(name)) && !signed.includes(name);
  return cutAndAdd(head, isCut, added);
};

/** The head with other values for some of its headers, each written where it stood last; `undefined` takes the header away. */
export const withValues = (head: ResponseHead, values: Readonly<Record<string, string>>): ResponseHead => {
  const added = Object.entries(values).map(([name, value]) => `${name}: ${value}\r\n`);
  return parseResponseHead(cutAndAdd(head, ({ name }) => Object.hasOwn(values, name), added.join('')));
};
