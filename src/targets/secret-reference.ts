// Fetches what a target file only names, from an environment variable or a file.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { environmentVariable } from '../environment.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import type { SecretReference } from './spec-fields.ts';

const missing = (what: string, why: string, hint: string, cause?: unknown): EnvironmentError =>
  new EnvironmentError('TARGET_SECRET_MISSING', `${what} is not there: ${why}.`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });

/** The text behind a reference; `what` names it as the target file does. @throws EnvironmentError (exit 69) where it is not there. */
export const fetchReference = (what: string, reference: SecretReference, folder: string): string => {
  if ('env' in reference) {
    const value = environmentVariable(reference.env);
    if (value !== undefined) return value;
    throw missing(what, `the environment variable ${reference.env} is not set`, 'Set it and run again.');
  }
  const file = resolve(folder, reference.file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw missing(
      what,
      `the file ${reference.file} cannot be read (${describeError(cause)})`,
      'Correct its name or its rights.',
    );
  }
  // An editor ends a file with a line break, which is no part of a password; PEM does not mind.
  const value = text.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw missing(what, `the file ${reference.file} is empty`, 'Write the value into it.');
};
