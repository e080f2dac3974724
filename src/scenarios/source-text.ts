// The text of a scenario or target file. Whatever the path leads to (a folder, a device that never ends, a picture), the answer
// is a text or one problem with a place; no more is read than a file that a person wrote can hold.
import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { AckproofError, InputError } from '../errors.ts';

export type SourceText = { readonly text: string } | { readonly problem: AckproofError };

/** Longer than any scenario a person wrote; keeps a mistaken file name from filling memory. */
const MAX_BYTES = 1024 * 1024;

/** What is in the file, up to one byte more than it may hold. */
const readBytes = (file: string): Buffer => {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
};

const unreadable = (file: string, what: string, cause: unknown): AckproofError => {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
  const hint = reason === 'EISDIR' ? 'It is a directory; name the files in it.' : 'Check the path and its permissions.';
  const message = `The ${what} cannot be read (${reason}).`;
  return new AckproofError('FILE_UNREADABLE', 'environment', message, { place: { file }, hint, cause });
};

/** Line and column, from 1, of the first byte that is not UTF-8; undefined where all are. */
const firstForeign = (bytes: Buffer): { readonly line: number; readonly column: number } | undefined => {
  if (isUtf8(bytes)) return undefined;
  // What is no character becomes another one, so the first byte that does not come back is the first of it.
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  const before = bytes.toString('utf8', 0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

/** Reads `file` as UTF-8; `what` says in a complaint which file was meant. Never throws. */
export const readSource = (file: string, what: string): SourceText => {
  let bytes: Buffer;
  try {
    bytes = readBytes(file);
  } catch (cause) {
    return { problem: unreadable(file, what, cause) };
  }
  if (bytes.length > MAX_BYTES) {
    const message = `The ${what} is longer than ${MAX_BYTES} bytes, so it is none.`;
    return { problem: new InputError('FILE_TOO_LONG', message, { place: { file }, hint: 'Check the path.' }) };
  }
  const foreign = firstForeign(bytes);
  if (foreign === undefined) return { text: bytes.toString('utf8') };
  const hint = 'Save it as UTF-8.';
  const place = { file, ...foreign };
  return { problem: new InputError('FILE_NOT_UTF8', `The ${what} is not UTF-8 text.`, { place, hint }) };
};
