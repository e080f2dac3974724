// Takes the head of the next message from a connection. Most come in one piece, and cost one search.
import { HttpRefusal } from './http-refusal.ts';
import type { Peer } from './peer.ts';

const END = '\r\n\r\n';
const CR = 0x0d;
const LF = 0x0a;

/** Empty lines before a request are no part of it. */
const withoutEmptyLines = (bytes: Buffer): Buffer => {
  let at = 0;
  while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at === 0 ? bytes : bytes.subarray(at);
};

/**
 * The bytes of the next head, its empty line included; undefined where the connection ended before one began. Throws HttpRefusal for
 * one that is longer than `limitBytes`, whose lines end otherwise, or in whose middle the connection ended.
 */
export const readHead = async (peer: Peer, limitBytes: number): Promise<Buffer | undefined> => {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = await peer.read();
    if (chunk === undefined) {
      if (bytes.length === 0) return undefined;
      throw new HttpRefusal(400, 'The connection ended within the head of a message.');
    }
    const searchFrom = Math.max(0, bytes.length - END.length);
    bytes = withoutEmptyLines(bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]));
    const end = bytes.indexOf(END, searchFrom, 'latin1');
    const bare = bytes.indexOf('\n\n', searchFrom, 'latin1');
    if (bare >= 0 && (end < 0 || bare < end)) throw new HttpRefusal(400, 'Lines end with CR LF here.');
    if ((end < 0 ? bytes.length : end + END.length) > limitBytes) {
      throw new HttpRefusal(431, `The head of a message is longer than ${limitBytes} bytes.`);
    }
    if (end >= 0) {
      peer.putBack(bytes.subarray(end + END.length));
      return bytes.subarray(0, end + END.length);
    }
  }
};
