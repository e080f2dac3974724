// When each replay pass ran. Its file was begun when it began, and the ledger's when the part did; both say so by the wall
// clock, whose jumps make a run inconclusive anyway.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AckproofError } from '../errors.ts';
import { type FileHeader, readFrames } from '../ledger/frame-file.ts';
import type { PassSummary } from '../ledger/run-record.ts';
import type { PassReport } from './model.ts';

const headersIn = (directory: string): readonly FileHeader[] => {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith('.rows'));
  return names.sort().flatMap((name) => {
    const headers: FileHeader[] = [];
    try {
      const frames = readFrames(join(directory, name), (header) => headers.push(header));
      frames.next();
      frames.return({ tornBytes: 0, holes: [], chain: 0 });
    } catch (thrown) {
      if (!(thrown instanceof AckproofError)) throw thrown;
    }
    return headers;
  });
};

/** The passes of a part with their times, where its files tell them. */
export const timedPasses = (directory: string, passes: readonly PassSummary[]): readonly PassReport[] => {
  const startWallMs = headersIn(join(directory, 'ledger'))[0]?.wallMs;
  const replays = headersIn(join(directory, 'replay'));
  return passes.map((pass) => {
    const wallMs = replays.find((header) => header.pass === pass.pass)?.wallMs;
    if (startWallMs === undefined || wallMs === undefined) return pass;
    const from = wallMs - startWallMs;
    return { ...pass, from, to: from + pass.ms };
  });
};
