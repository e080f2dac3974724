// Reads a text history from a file, a piece at a time: a history may be larger than the longest text that Node can hold.
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { RunFacts } from './run-facts.ts';
import { TextHistoryReader } from './text-reader.ts';

const PIECE_BYTES = 1 << 20;

/** The lines of a file without their line feeds; what follows the last one is a line if it is not empty. */
function* linesOf(path: string, pieceBytes: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  const piece = Buffer.alloc(pieceBytes);
  const file = openSync(path, 'r');
  let rest = '';
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const lines = (rest + decoder.write(piece.subarray(0, read))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    closeSync(file);
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

/** Reads a text history; `path` names it in errors. Throws InputError with the line number, or what the file system says. */
export const readTextFile = (path: string, pieceBytes = PIECE_BYTES): RunFacts => {
  const reader = new TextHistoryReader(path);
  for (const line of linesOf(path, pieceBytes)) reader.line(line);
  return reader.finish();
};
