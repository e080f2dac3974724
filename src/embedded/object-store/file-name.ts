// From an object key to a file name and back. A key may be any UTF-8 text, `../x` included; the file name is one flat path
// component made of harmless characters, so no key can leave its directory. Keys too long for a file name are named by their
// SHA-256; their files carry the key.
import { createHash } from 'node:crypto';

/** Longest encoded name used as it is; file systems stop at 255 bytes. */
const NAME_LIMIT = 240;
const HASHED = '~';

const encodeByte = (byte: number): string => `%${byte.toString(16).padStart(2, '0')}`;

const isPlain = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x5f;

/** The file name of a key; starts with a letter, digit, `-`, `_`, `%` or, for a hashed one, `~`. */
export const fileNameOf = (key: string): string => {
  let name = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    name += isPlain(byte) ? String.fromCharCode(byte) : encodeByte(byte);
  }
  return name.length <= NAME_LIMIT ? name : `${HASHED}${createHash('sha256').update(key).digest('hex')}`;
};

/** The key of a file name; undefined where only the file itself knows it. */
export const keyOfFileName = (name: string): string | undefined =>
  name.startsWith(HASHED) ? undefined : decodeURIComponent(name);
