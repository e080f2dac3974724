// Standard output and standard error may go away while a command is at work: a pipe is closed, a terminal hangs up, a disk is
// full. None of that may end a drill before it has healed, and none of it is a fault of ackproof.

/** How a reader that has seen enough shows: `| head -1`, a closed terminal. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

let outputGone = false;
let outputTrouble: Error | undefined;

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Keeps the failure of a write from ending the program; called once, first of all. */
export const guardStreams = (): void => {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: Error) => {
    outputGone = true;
    if (!READER_GONE.has(codeOf(error))) outputTrouble ??= error;
  });
};

/** Whether nobody reads standard output any more. */
export const isOutputGone = (): boolean => outputGone;

/** Why the result could not be written, where it was meant to be kept: a full disk, say. */
export const outputFailure = (): Error | undefined => outputTrouble;
