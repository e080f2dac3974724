// The processes of one embedded cluster, started and ended together.
import type { EmbeddedLayout, PlannedNode } from './embedded-layout.ts';
import { NodeProcess } from './node-process.ts';
import { disposeTogether, startTogether } from './process-set.ts';
import { nodeProgram } from './program-files.ts';
import { ProxyRestarts } from './proxy-restart.ts';

export class EmbeddedProcesses {
  readonly brokers: readonly NodeProcess[];
  readonly #store: NodeProcess;
  readonly #volume: readonly NodeProcess[];
  readonly #controller: NodeProcess;
  readonly #storeProxy: NodeProcess;
  readonly #proxies: readonly NodeProcess[];
  readonly restarts: ProxyRestarts;

  constructor(layout: EmbeddedLayout, runId: string) {
    const processOf = (planned: PlannedNode): NodeProcess =>
      new NodeProcess({
        node: planned.node,
        ...nodeProgram(planned.program, planned.config),
        environment: { ACKPROOF_RUN: runId },
        logFile: planned.logFile,
      });
    this.#store = processOf(layout.store);
    this.#volume = layout.volume === undefined ? [] : [processOf(layout.volume)];
    this.#controller = processOf(layout.controller);
    this.#storeProxy = processOf(layout.storeProxy);
    this.#proxies = layout.proxies.map(processOf);
    this.restarts = new ProxyRestarts(this.#proxies, layout.proxyAdmins);
    this.brokers = layout.brokers.map(processOf);
  }

  get all(): readonly NodeProcess[] {
    return [this.#store, ...this.#volume, this.#storeProxy, ...this.#proxies, this.#controller, ...this.brokers];
  }

  /** What faults may be done to; the proxies are how faults are done. */
  get nodes(): readonly NodeProcess[] {
    return [...this.brokers, this.#controller, this.#store, ...this.#volume];
  }

  /** All at once: each waits by itself for those it needs, which is quicker than starting them in turn. */
  async start(signal: AbortSignal): Promise<void> {
    await startTogether(this.all, signal);
  }

  async dispose(): Promise<void> {
    await disposeTogether(this.all);
  }
}
