// The parser of the command line in its CommonJS form: one file, which loads in a third of the time of its ES modules, and the
// only form of this version that breaks long lines between words.
import { createRequire } from 'node:module';
import type { default as Yargs } from 'yargs';

/** See the package `yargs`. */
export const yargs = createRequire(import.meta.url)('yargs') as typeof Yargs;
