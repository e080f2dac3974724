// The life of an embedded program: its configuration is one JSON argument, it prints one line when it is ready, and it goes
// away when it is told to (SIGTERM, exit code 0) or when the process that started it is gone (its standard input closes).
import { describeError, InputError } from '../errors.ts';

/** What a program gives back once it is ready. */
export interface RunningProgram {
  /** Fields of the ready line: ports and the like, JSON-safe. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Ends it in good order; called once. */
  readonly stop: () => Promise<void>;
}

/** Settings that every embedded program understands beside its own. */
export interface ProgramSettings {
  /** End at once when standard input closes, so that nothing outlives the process that holds the other end. */
  readonly exitOnStdinClose?: boolean;
}

/** The parts of `process` a program needs; entry files pass the real one. */
export interface ProgramHost {
  readonly argv: readonly string[];
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): unknown;
}

const readConfig = (argument: string | undefined): unknown => {
  if (argument === undefined) {
    throw new InputError('PROGRAM_NO_CONFIG', 'The program was started without its configuration.', {
      hint: 'Pass one JSON object as the first argument.',
    });
  }
  try {
    return JSON.parse(argument);
  } catch (cause) {
    throw new InputError('PROGRAM_BAD_CONFIG', 'The configuration is not JSON.', {
      hint: 'Pass one JSON object as the first argument.',
      cause,
    });
  }
};

const wantsExitOnClose = (config: unknown): boolean =>
  typeof config === 'object' && config !== null && (config as ProgramSettings).exitOnStdinClose === true;

/** Runs `start` with the parsed configuration and ties its life to signals and standard input. Exit codes: 0, 65 or 69. */
export const runProgram = async (
  host: ProgramHost,
  start: (config: unknown) => Promise<RunningProgram>,
): Promise<void> => {
  try {
    const config = readConfig(host.argv[2]);
    if (wantsExitOnClose(config)) {
      host.stdin.on('end', () => host.exit(0)).on('close', () => host.exit(0));
      host.stdin.resume();
    }
    const running = await start(config);
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      running.stop().then(
        () => host.exit(0),
        (thrown: unknown) => {
          host.stderr.write(`${describeError(thrown)}\n`);
          host.exit(70);
        },
      );
    };
    host.on('SIGTERM', stop);
    host.on('SIGINT', stop);
    host.stdout.write(`${JSON.stringify({ ready: true, ...running.ready })}\n`);
  } catch (thrown) {
    host.stderr.write(`${describeError(thrown)}\n`);
    host.exit(thrown instanceof InputError ? 65 : 69);
  }
};
