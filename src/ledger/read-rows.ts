// Walks the rows of one frame file whatever state it is in: tells what was lost, checks the close row, and never throws on
// damaged bytes. Only a file of a newer format is refused.
import { basename } from 'node:path';
import { InputError } from '../errors.ts';
import { ByteCursor, MalformedRow } from './bytes.ts';
import type { DamageLog } from './damage.ts';
import { type FileDamage, type FileHeader, type Frame, readFrames } from './frame-file.ts';

/** What is no damage: the file cannot be judged at all. */
const REFUSED: ReadonlySet<string> = new Set(['LEDGER_TOO_NEW', 'CONTRACT_CHANGED']);

export interface RowHandlers<R> {
  /** Called once, before any row. */
  header?(header: FileHeader): void;
  /** The next row; undefined where it only named something. Throws MalformedRow. */
  decode(cursor: ByteCursor): R | undefined;
  row(row: R): void;
  /** Rows before this point were lost. */
  hole(): void;
}

export interface RowSummary {
  readonly header: FileHeader | undefined;
  /** The checksum chain before the last frame, as a close row states it. */
  readonly chainBeforeLast: number;
}

const readFrame = <R>(frame: Frame, handlers: RowHandlers<R>, name: string, damage: DamageLog): void => {
  const cursor = new ByteCursor(frame.payload);
  try {
    while (!cursor.done) {
      const row = handlers.decode(cursor);
      if (row !== undefined) handlers.row(row);
    }
  } catch (thrown) {
    if (!(thrown instanceof MalformedRow)) throw thrown;
    damage.noteLostRows(`${name}: ${thrown.message.replace(/\.$/u, '')}`);
    handlers.hole();
  }
};

const tellDamage = ({ tornBytes, holes }: FileDamage, name: string, damage: DamageLog): void => {
  if (tornBytes > 0)
    damage.noteLostRows(
      `${name}: ${tornBytes === 1 ? 'the last byte is' : `the last ${tornBytes} bytes are`} torn off a frame`,
    );
  for (const { at, bytes } of holes) damage.noteLostRows(`${name}: ${bytes} bytes from byte ${at} do not check`);
};

/** Reads every row of `path` that checks. Throws InputError on a newer format and EnvironmentError if it cannot be opened. */
export const readRows = <R>(path: string, handlers: RowHandlers<R>, damage: DamageLog): RowSummary => {
  const name = basename(path);
  let header: FileHeader | undefined;
  let chainBeforeLast = 0;
  const frames = readFrames(path, (read) => {
    header = read;
    handlers.header?.(read);
  });
  try {
    for (;;) {
      const next = frames.next();
      if (next.done === true) {
        tellDamage(next.value, name, damage);
        return { header, chainBeforeLast };
      }
      if (next.value.afterHole) handlers.hole();
      chainBeforeLast = next.value.chainBefore;
      readFrame(next.value, handlers, name, damage);
    }
  } catch (thrown) {
    if (!(thrown instanceof InputError) || REFUSED.has(thrown.code)) throw thrown;
    damage.noteLostRows(`${name}: ${thrown.message.replace(/\.$/u, '')}`);
    return { header, chainBeforeLast };
  }
};
