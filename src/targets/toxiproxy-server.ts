// A Toxiproxy server as a process of ours, for targets whose proxies may be the real ones: found on the PATH, or where
// ACKPROOF_TOXIPROXY says.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { environmentVariable } from '../environment.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { PlannedProxy } from './kafka-layout.ts';
import { NodeProcess } from './node-process.ts';
import { done, notYet } from './wait-for.ts';

export interface ToxiproxyProgram {
  readonly executable: string;
  /** As the program says it: `2.12.0`. */
  readonly version: string;
}

const ASK_MS = 1000;

const programAt = async (executable: string): Promise<ToxiproxyProgram> => {
  const { stdout, stderr } = await promisify(execFile)(executable, ['-version'], { timeout: 10_000 });
  return { executable, version: /(\d+\.\d+\.\d+)/.exec(stdout + stderr)?.[1] ?? 'unknown' };
};

/**
 * The server that is there; undefined where none is on the PATH.
 * @throws EnvironmentError when the one that ACKPROOF_TOXIPROXY names cannot be run.
 */
export const findToxiproxy = async (): Promise<ToxiproxyProgram | undefined> => {
  const named = environmentVariable('ACKPROOF_TOXIPROXY');
  try {
    return await programAt(named ?? 'toxiproxy-server');
  } catch (cause) {
    if (named === undefined) return undefined;
    throw new EnvironmentError('TOXIPROXY_NOT_FOUND', `Toxiproxy cannot be run as ${named}: ${describeError(cause)}`, {
      hint: 'Correct ACKPROOF_TOXIPROXY, or unset it to use the proxies that ackproof brings along.',
      cause,
    });
  }
};

/** Writes down what the server is to serve; its process reads that when it starts. */
export const writeToxiproxyConfig = async (planned: PlannedProxy, file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(planned.proxies.map((proxy) => ({ ...proxy, enabled: true }))));
};

/** The process of one server; `config` as written by `writeToxiproxyConfig`. */
export const toxiproxyNode = (
  { executable }: ToxiproxyProgram,
  { path, admin, logFile }: PlannedProxy,
  config: string,
  runId: string,
): NodeProcess =>
  new NodeProcess({
    node: `toxiproxy/${path}`,
    executable,
    args: ['-host', admin.host, '-port', String(admin.port), '-config', config],
    environment: { ACKPROOF_RUN: runId, LOG_LEVEL: 'info' },
    logFile,
    serves: async (signal) => {
      try {
        const proxies = await httpJson({
          address: admin,
          method: 'GET',
          path: '/proxies',
          deadlineMs: ASK_MS,
          ...(signal === undefined ? {} : { signal }),
        });
        return done({ ready: true, proxies });
      } catch (thrown) {
        signal?.throwIfAborted();
        return notYet(describeError(thrown));
      }
    },
  });
