// Processes that belong to one cluster, started and ended together.
import { setMaxListeners } from 'node:events';
import { describeError } from '../errors.ts';
import type { NodeProcess } from './node-process.ts';

/** All at once; the first failure ends the others' wait, and is the one that is told. */
export const startTogether = async (processes: readonly NodeProcess[], signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const follow = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  const startOne = async (each: NodeProcess): Promise<void> => {
    try {
      await each.start(ended.signal);
    } catch (thrown) {
      ended.abort(thrown);
    }
  };
  await Promise.all(processes.map(startOne));
  signal.removeEventListener('abort', follow);
  ended.signal.throwIfAborted();
};

/** Every one is ended, whatever the others do; then the first failure is thrown. */
export const disposeTogether = async (processes: readonly NodeProcess[]): Promise<void> => {
  const failures: unknown[] = [];
  await Promise.all(
    processes.map(async (each) => await each.dispose().catch((thrown: unknown) => failures.push(thrown))),
  );
  if (failures.length > 0) throw failures[0] instanceof Error ? failures[0] : new Error(describeError(failures[0]));
};
