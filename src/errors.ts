// Every error a person can see. An error says what, where, why and what to do; its code decides the exit code, and the first
// error wins: whatever fails while cleaning up is attached to it, never put in its place.

/** Whose trouble it is, which decides the exit code (bin/exit-codes.ts). `unhealed`: whatever else, a fault may still act. */
export const ERROR_KINDS = [
  'usage',
  'input',
  'environment',
  'internal',
  'interrupted',
  'terminated',
  'unhealed',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** Where in a file the trouble is; line and column count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface ErrorDetails {
  readonly place?: SourcePlace;
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly cause?: unknown;
}

const formatPlace = (place: SourcePlace): string =>
  [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');

/** The base of all of ackproof's own errors. `code` is SCREAMING_SNAKE and stable; `message` is a sentence or two. */
export class AckproofError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly place: SourcePlace | undefined;
  readonly hint: string | undefined;
  /** What else went wrong while dealing with this error. */
  readonly attached: unknown[] = [];

  constructor(code: string, kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.kind = kind;
    this.place = details.place;
    this.hint = details.hint;
  }

  /** `CODE file:line:column — message Hint.` on one line. */
  describe(): string {
    const where = this.place === undefined ? '' : ` ${formatPlace(this.place)}`;
    const hint = this.hint === undefined ? '' : ` ${this.hint}`;
    return `${this.code}${where} — ${this.message}${hint}`;
  }
}

/** A scenario, target, history or option that cannot be used as it stands (exit 65, or 64 for the command line). */
export class InputError extends AckproofError {
  constructor(code: string, message: string, details?: ErrorDetails) {
    super(code, 'input', message, details);
  }
}

export class UsageError extends AckproofError {
  constructor(code: string, message: string, details?: ErrorDetails) {
    super(code, 'usage', message, details);
  }
}

/** The world is not as the run needs it: unreachable, in use, no space, no permission, contract mismatch (exit 69). */
export class EnvironmentError extends AckproofError {
  constructor(code: string, message: string, details?: ErrorDetails) {
    super(code, 'environment', message, details);
  }
}

/** A fault of ackproof itself (exit 70). */
export class InternalError extends AckproofError {
  constructor(code: string, message: string, details?: ErrorDetails) {
    super(code, 'internal', message, {
      hint: 'This is a fault of ackproof; please report it with this line.',
      ...details,
    });
  }
}

/** Several problems found together; each keeps its own place. */
export class ManyProblems extends AckproofError {
  readonly problems: readonly AckproofError[];

  constructor(problems: readonly AckproofError[]) {
    // What is written wrong is in the hands of whoever wrote it, whatever else is missing.
    const first = problems.find(({ kind }) => kind === 'input') ?? problems[0];
    super(
      first?.code ?? 'NO_PROBLEM',
      first?.kind ?? 'internal',
      problems.map((problem) => problem.describe()).join('\n'),
    );
    this.problems = problems;
  }
}

/** A wait that ran out: names what was awaited, for how long, and the last state seen. */
export class DeadlineError extends AckproofError {
  constructor(awaited: string, waitedMs: number, lastSeen: string, details?: ErrorDetails) {
    super(
      'DEADLINE_PASSED',
      'environment',
      `Waited ${Math.round(waitedMs)} ms for ${awaited}; last seen: ${lastSeen}.`,
      {
        hint: 'See why it did not come, in the logs of what was awaited; where it was only slow, allow more time.',
        ...details,
      },
    );
  }
}

/** The message of anything that can be thrown, causes included, on one line. */
export const describeError = (thrown: unknown): string => {
  if (thrown instanceof AckproofError) {
    return thrown.cause === undefined ? thrown.describe() : `${thrown.describe()} (${describeError(thrown.cause)})`;
  }
  if (thrown instanceof Error) {
    const text = thrown.message === '' ? thrown.name : thrown.message;
    return thrown.cause === undefined ? text : `${text} (${describeError(thrown.cause)})`;
  }
  return String(thrown);
};

/** Edits (insert, delete, change, swap of neighbours) between two words. */
const distance = (left: string, right: string): number => {
  const rows = Array.from({ length: left.length + 1 }, (_, row) => [row, ...new Array<number>(right.length).fill(0)]);
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let column = 0; column <= right.length; column++) (rows[0] as number[])[column] = column;
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      let best = Math.min(cell(row - 1, column) + 1, cell(row, column - 1) + 1, cell(row - 1, column - 1) + change);
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        best = Math.min(best, cell(row - 2, column - 2) + 1);
      }
      (rows[row] as number[])[column] = best;
    }
  }
  return cell(left.length, right.length);
};

const rankedBySlips = (
  name: string,
  known: readonly string[],
): readonly { readonly candidate: string; readonly edits: number }[] =>
  known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.edits - other.edits || one.candidate.localeCompare(other.candidate));

/** The `most` known names nearest to `name`, however far; those that share a word with it come first. */
export const nearestNames = (name: string, known: readonly string[], most: number): readonly string[] => {
  const words = name.toLowerCase().match(/[a-z0-9]{3,}/gu) ?? [];
  const ranked = rankedBySlips(name, [...new Set(known)]).map(({ candidate }) => candidate);
  const shares = (candidate: string): boolean => words.some((word) => candidate.toLowerCase().includes(word));
  const sharing = ranked.filter(shares);
  return (sharing.length > 0 ? sharing : ranked).slice(0, most);
};

/** The known name nearest to `name`, if one is near enough to be a likely slip. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  const best = rankedBySlips(name, known)[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : undefined;
};

/** `Did you mean "x"? Known: a, b.` or `Known: a, b.` */
export const suggestName = (name: string, known: readonly string[]): string => {
  if (known.length === 0) return 'There is none to be had here.';
  const near = nearestName(name, known);
  const list = `Known: ${[...known].sort().join(', ')}.`;
  return near === undefined ? list : `Did you mean "${near}"? ${list}`;
};
