// Docker Compose as a command: the plugin (v2) where there is one, else docker-compose (v1). Only to bring a project up and to take
// it down; everything in between goes through the engine.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { childEnvironment } from '../environment.ts';
import { DeadlineError, EnvironmentError } from '../errors.ts';
import type { DockerEndpoint } from './docker-endpoint.ts';
import { shippedFile } from './shipped-file.ts';
import { within } from './wait-for.ts';

const VERSION_DEADLINE_MS = 20_000;
/** What is told to stop, and does not, is ended after this. */
const STOP_MS = 15_000;
const OUTPUT_CHARACTERS = 20_000;
const TOLD_LINES = 8;

interface Ended {
  readonly exitCode: number | undefined;
  readonly output: string;
}

/**
 * Runs a program to its end; its outputs together, the end of them where they are long. When `signal` aborts, it is told to stop and
 * awaited all the same: what follows must not meet it still at work.
 */
const runToEnd = async (
  [program = '', ...rest]: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Ended> =>
  await new Promise((resolve, reject) => {
    let output = '';
    let forcing: NodeJS.Timeout | undefined;
    const child = spawn(program, rest, { env: childEnvironment(environment), stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS);
    };
    const stop = (): void => {
      child.kill('SIGINT');
      forcing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    };
    const end = (settle: () => void): void => {
      clearTimeout(forcing);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      else settle();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (thrown: NodeJS.ErrnoException) => {
      const isMissing = thrown.code === 'ENOENT';
      end(() => (isMissing ? resolve({ exitCode: undefined, output }) : reject(thrown)));
    });
    child.on('close', (code) => end(() => resolve({ exitCode: code ?? undefined, output })));
    signal.addEventListener('abort', stop, { once: true });
  });

const lastOf = (output: string): string =>
  output
    .split(/[\r\n]+/u)
    .filter((line) => line.trim() !== '')
    .slice(-TOLD_LINES)
    .join(' | ');

export interface ComposeProject {
  readonly project: string;
  readonly file: string;
  readonly runId: string;
  readonly endpoint: DockerEndpoint;
}

export interface ComposeCommand {
  /** `2.29.7`, `1.29.2`. */
  readonly version: string;
  /** @throws EnvironmentError with the end of what it printed. */
  run(project: ComposeProject, arguments_: readonly string[], deadlineMs: number, signal?: AbortSignal): Promise<void>;
}

const FORMS: readonly (readonly string[])[] = [['docker', 'compose'], ['docker-compose']];

/** Compose looks for its certificates in one folder. */
const securityOf = ({ certificates }: DockerEndpoint): Readonly<Record<string, string>> =>
  certificates === undefined ? {} : { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: dirname(certificates.ca) };

const commandOf = (form: readonly string[], version: string): ComposeCommand => ({
  version,
  run: async ({ project, file, runId, endpoint }, arguments_, deadlineMs, signal) => {
    // Version 1 knows no contexts, so the engine is always named; the run's id becomes a label of everything in the file.
    const environment = { ACKPROOF_RUN: runId, DOCKER_HOST: endpoint.url, ...securityOf(endpoint) };
    const line = [...form, '-p', project, '-f', file, ...arguments_];
    const ended = await within(deadlineMs, signal, async (own) => await runToEnd(line, environment, own)).catch(
      (thrown: unknown) => {
        signal?.throwIfAborted();
        if (!(thrown instanceof DOMException)) throw thrown;
        throw new DeadlineError(`\`${line.join(' ')}\` to end`, deadlineMs, 'it was still at work');
      },
    );
    if (ended.exitCode === 0) return;
    throw new EnvironmentError(
      'COMPOSE_FAILED',
      `\`${line.join(' ')}\` ended with ${ended.exitCode ?? 'a signal'}: ${lastOf(ended.output)}`,
      {
        hint:
          `If an image cannot be had, build them and take the variables that are printed: eval "$(bash ${shippedFile('docker/images.sh')})"; ` +
          'if a port is taken, set another by the variables in the file.',
      },
    );
  },
});

/** The Compose that is installed. @throws EnvironmentError where there is none. */
export const findCompose = async (signal?: AbortSignal): Promise<ComposeCommand> => {
  for (const form of FORMS) {
    const asked = await within(
      VERSION_DEADLINE_MS,
      signal,
      async (own) => await runToEnd([...form, 'version', '--short'], {}, own),
    );
    const version = /\d+\.\d+\.\d+\S*/u.exec(asked.output)?.[0];
    if (asked.exitCode === 0 && version !== undefined) return commandOf(form, version);
  }
  throw new EnvironmentError('COMPOSE_MISSING', 'Neither `docker compose` nor `docker-compose` can be run.', {
    hint: 'Install the Compose plugin of Docker, or start the project yourself and set attach: true.',
  });
};
