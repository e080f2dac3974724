// Programs that a fault can be performed by, as whoever runs a cluster would bring them: small shell scripts that switch a file on
// and off in a folder of their own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserCommand, UserCommands } from '../../src/targets/target.ts';

export const shell = (script: string, ...words: string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  script,
  'sh',
  ...words,
];

/** Puts a file `down-<broker>` there, says what is in it, and takes it away. */
export const SWITCH: UserCommand = {
  inject: shell('echo broker $1 at $2 is off > down-$1', '{broker}', '{host}:{port}'),
  confirm: shell('cat down-$1', '{broker}'),
  heal: ['rm', '-f', 'down-{broker}'],
  healed: shell('! test -e down-$1', '{broker}'),
  env: {},
  timeoutMs: 10_000,
};

/** In a new folder, which is the caller's to remove. */
export const modelCommands = (named: Readonly<Record<string, UserCommand>> = { switch: SWITCH }): UserCommands => ({
  folder: mkdtempSync(join(tmpdir(), 'ackproof-commands-')),
  named,
});
