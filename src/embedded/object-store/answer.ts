// What an operation answers; the server puts it on the wire.
import type { Readable } from 'node:stream';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Empty for HEAD, whose `content-length` header tells the length the body would have. */
  readonly body: Buffer | Readable | string;
  /** Inclusive byte range that was served, for the request log. */
  readonly range?: readonly [start: number, end: number];
}

const XML = { 'content-type': 'application/xml' };

export const xmlAnswer = (status: number, document: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { ...XML, 'content-length': Buffer.byteLength(document), ...headers },
  body: document,
});

export const emptyAnswer = (status: number, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: status === 204 ? headers : { 'content-length': 0, ...headers },
  body: '',
});
