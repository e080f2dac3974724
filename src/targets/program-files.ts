// Where the built programs of the embedded cluster are. Node.js 20 runs no TypeScript, so they are always the built `.js`: beside
// this file when this file is built itself, in `dist` when a test runs it from source.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '../errors.ts';

/** The absolute file of `program`, a path below `src/` without its suffix. */
export const programFile = (program: string): string => {
  const base = import.meta.url.endsWith('.ts') ? '../../dist/src/' : '../';
  const file = fileURLToPath(new URL(`${base}${program}.js`, import.meta.url));
  if (existsSync(file)) return file;
  throw new EnvironmentError('TARGET_PROGRAM_MISSING', `The program ${file} is not there.`, {
    hint: 'Build ackproof first: npm run build.',
  });
};

/** How a program of ours, a path below `src/` without its suffix, is run: by the Node.js that runs us. */
export const nodeProgram = (
  program: string,
  config: Readonly<Record<string, unknown>>,
): { readonly executable: string; readonly args: readonly string[] } => ({
  executable: process.execPath,
  args: [programFile(program), JSON.stringify(config)],
});
