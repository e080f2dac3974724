// Where the body of a message ends. The bytes are looked at and passed on, chunk sizes, chunk extensions and trailers included;
// nothing is decoded and nothing is framed anew.
import { HttpRefusal } from './http-refusal.ts';
import { type MessageHead, type RequestHead, type ResponseHead, valuesOf, wordsOf } from './message-head.ts';

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

/** From, inclusive, to, exclusive. */
export type Span = readonly [from: number, to: number];

/** What a scanner found in a stretch of bytes. */
export interface Found {
  /** Where this body ends in it, exclusive; all of it while the body goes on. */
  readonly end: number;
  readonly isDone: boolean;
  /** The content in it, without framing. */
  readonly content: readonly Span[];
  /** Where the line ends that announces the last chunk, exclusive of that end; undefined where it is not in here. */
  readonly closingAt?: number;
}

/** Looks at the bytes of one body, stretch by stretch. Throws HttpRefusal where they are no body. */
export type Scanner = (bytes: Buffer) => Found;

const LINE_LIMIT = 16 * 1024;
const TRAILER_LIMIT = 64 * 1024;
const LF = 0x0a;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?\r$/su;

const countedScanner = (bytes: number): Scanner => {
  let left = bytes;
  return (stretch) => {
    const end = Math.min(left, stretch.length);
    left -= end;
    return { end, isDone: left === 0, content: end === 0 ? [] : [[0, end]] };
  };
};

const openScanner: Scanner = (stretch) => ({ end: stretch.length, isDone: false, content: [[0, stretch.length]] });

/** Chunked transfer coding: size line, content, line end, …, a size of 0, trailer lines, an empty line. */
class ChunkedScanner {
  #state: 'size' | 'content' | 'content-end' | 'trailer' | 'done' = 'size';
  #line = '';
  #left = 0;
  #trailerBytes = 0;

  scan(stretch: Buffer): Found {
    const content: Span[] = [];
    let closingAt: number | undefined;
    let at = 0;
    while (at < stretch.length && this.#state !== 'done') {
      if (this.#state === 'content') {
        const to = Math.min(stretch.length, at + this.#left);
        content.push([at, to]);
        this.#left -= to - at;
        at = to;
        if (this.#left === 0) this.#state = 'content-end';
        continue;
      }
      const lineEnd = stretch.indexOf(LF, at);
      this.#takeLine(stretch, at, lineEnd < 0 ? stretch.length : lineEnd);
      if (lineEnd < 0) return { end: stretch.length, isDone: false, content };
      if (this.#endLine()) closingAt = lineEnd;
      at = lineEnd + 1;
    }
    return { end: at, isDone: this.#state === 'done', content, ...(closingAt === undefined ? {} : { closingAt }) };
  }

  #takeLine(stretch: Buffer, from: number, to: number): void {
    if (this.#line.length + to - from > LINE_LIMIT) throw new HttpRefusal(400, 'A line of a chunked body is too long.');
    this.#line += stretch.toString('latin1', from, to);
  }

  /** The line is whole; whether it announces the last chunk. */
  #endLine(): boolean {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'size') return this.#beginChunk(line);
    if (!line.endsWith('\r')) throw new HttpRefusal(400, 'A line of a chunked body ends otherwise.');
    if (this.#state === 'content-end') {
      if (line !== '\r') throw new HttpRefusal(400, 'A chunk is longer than its size.');
      this.#state = 'size';
      return false;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > TRAILER_LIMIT) throw new HttpRefusal(431, 'The trailers are too long.');
    if (line === '\r') this.#state = 'done';
    return false;
  }

  #beginChunk(line: string): boolean {
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    if (size === undefined) throw new HttpRefusal(400, 'The size of a chunk cannot be read.');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'content';
    return this.#left === 0;
  }
}

export const scannerOf = (framing: Framing): Scanner => {
  switch (framing.kind) {
    case 'none':
      return countedScanner(0);
    case 'length':
      return countedScanner(framing.bytes);
    case 'until-close':
      return openScanner;
    case 'chunked': {
      const scanner = new ChunkedScanner();
      return (stretch) => scanner.scan(stretch);
    }
  }
};

/** What `Content-Length` says; undefined where there is none. */
const lengthIn = (head: MessageHead): number | undefined => {
  const [first, ...more] = valuesOf(head, 'content-length');
  if (first === undefined) return undefined;
  const length = Number(first);
  if (more.length > 0 || !/^\d+$/u.test(first) || !Number.isSafeInteger(length)) {
    throw new HttpRefusal(400, 'Content-Length is no length.');
  }
  return length;
};

const isChunked = (head: RequestHead | ResponseHead): boolean => {
  const codings = wordsOf(head, 'transfer-encoding');
  if (codings.length === 0) return false;
  if (codings.length > 1 || codings[0] !== 'chunked') {
    throw new HttpRefusal(501, 'Of transfer codings only chunked is passed on.');
  }
  if (valuesOf(head, 'content-length').length > 0 || head.minorVersion === 0) {
    throw new HttpRefusal(400, 'The length of the body is told in two ways.');
  }
  return true;
};

/** Throws HttpRefusal. */
export const requestFraming = (head: RequestHead): Framing => {
  if (isChunked(head)) return { kind: 'chunked' };
  const bytes = lengthIn(head) ?? 0;
  return bytes === 0 ? { kind: 'none' } : { kind: 'length', bytes };
};

/** Throws HttpRefusal. */
export const responseFraming = (head: ResponseHead, method: string): Framing => {
  if (method === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304) return { kind: 'none' };
  if (isChunked(head)) return { kind: 'chunked' };
  const bytes = lengthIn(head);
  if (bytes === undefined) return { kind: 'until-close' };
  return bytes === 0 ? { kind: 'none' } : { kind: 'length', bytes };
};
