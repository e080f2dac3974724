// The processes of one embedded cluster, started and ended together.
import { setMaxListeners } from 'node:events';
import { describeError } from '../errors.ts';
import type { EmbeddedLayout, PlannedNode } from './embedded-layout.ts';
import { NodeProcess } from './node-process.ts';
import { programFile } from './program-files.ts';

export class EmbeddedProcesses {
  readonly brokers: readonly NodeProcess[];
  readonly #store: NodeProcess;
  readonly #controller: NodeProcess;
  readonly #proxies: readonly NodeProcess[];

  constructor(layout: EmbeddedLayout, runId: string) {
    const processOf = (planned: PlannedNode): NodeProcess =>
      new NodeProcess({
        node: planned.node,
        program: programFile(`embedded/${planned.program}`),
        argument: JSON.stringify(planned.config),
        environment: { ACKPROOF_RUN: runId },
        logFile: planned.logFile,
      });
    this.#store = processOf(layout.store);
    this.#controller = processOf(layout.controller);
    this.#proxies = layout.proxies.map(processOf);
    this.brokers = layout.brokers.map(processOf);
  }

  get all(): readonly NodeProcess[] {
    return [this.#store, ...this.#proxies, this.#controller, ...this.brokers];
  }

  /** What faults may be done to; the proxies are how faults are done. */
  get nodes(): readonly NodeProcess[] {
    return [...this.brokers, this.#controller, this.#store];
  }

  /** All at once: each waits by itself for those it needs, which is quicker than starting them in turn. */
  async start(signal: AbortSignal): Promise<void> {
    await startTogether(this.all, signal);
  }

  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    await Promise.all(
      this.all.map(async (each) => await each.dispose().catch((thrown: unknown) => failures.push(thrown))),
    );
    if (failures.length > 0) throw failures[0] instanceof Error ? failures[0] : new Error(describeError(failures[0]));
  }
}

/** All at once; the first failure ends the others' wait, and is the one that is told. */
const startTogether = async (processes: readonly NodeProcess[], signal: AbortSignal): Promise<void> => {
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
