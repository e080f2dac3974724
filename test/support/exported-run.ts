// A run directory as the text history that `export` writes.
import { exportRun } from '../../src/ledger/export-run.ts';

export const exportedRun = async (directory: string): Promise<string> => {
  let text = '';
  for await (const line of exportRun(directory)) text += `${line}\n`;
  return text;
};
