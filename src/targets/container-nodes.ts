// ProcessControl over containers. The engine's answer to a call proves nothing: each is followed by looks at the container until
// it is seen to be so. `startedAt` of an identity tells a container that was restarted behind our back from the one that was meant.
import { DeadlineError, EnvironmentError, InputError } from '../errors.ts';
import type { ContainerFacts, ContainerPhase } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isConflict } from './docker-failure.ts';
import type { NodeId, NodeState, ProcessControl, ProcessIdentity } from './target.ts';
import { done, notYet, type Wait, waitFor } from './wait-for.ts';

/** How long the engine may take to show what it was told to do. */
export const SHOWN_MS = 10_000;
const LOOK_EVERY_MS = 25;

/** A node and the container it runs in. */
export interface ContainerNode {
  readonly node: NodeId;
  readonly id: string;
}

/** What must be seen of a node that was started before it counts as serving again. */
export type NodeReady = (node: NodeId, container: ContainerFacts, signal: AbortSignal) => Promise<void>;

const isEnded = (status: ContainerPhase): boolean => status === 'exited' || status === 'dead' || status === 'created';

const identityOf = (engine: string, facts: ContainerFacts): ProcessIdentity | undefined =>
  facts.pid === 0 ? undefined : { pid: facts.pid, startedAt: facts.startedAtMs, container: { engine, id: facts.id } };

/** Looks until a container is as wanted; the error tells how it was last. */
export const awaitContainer = async (
  engine: DockerEngine,
  id: string,
  wait: Pick<Wait, 'awaited' | 'deadlineMs' | 'signal'>,
  isWanted: (facts: ContainerFacts) => boolean,
): Promise<ContainerFacts> =>
  await waitFor({ ...wait, everyMs: LOOK_EVERY_MS }, async () => {
    const facts = await engine.inspect(id, wait.signal);
    return isWanted(facts) ? done(facts) : notYet(`the container ${facts.name} is ${facts.status}`);
  });

/** A refusal because the container is not in the state for it is no answer: only the look afterwards is. */
export const unlessConflict = async (call: Promise<void>): Promise<void> => {
  await call.catch((thrown: unknown) => {
    if (!isConflict(thrown)) throw thrown;
  });
};

export class ContainerNodes implements ProcessControl {
  readonly nodes: readonly NodeId[];
  readonly #engine: DockerEngine;
  readonly #ids: ReadonlyMap<NodeId, string>;
  readonly #ready: NodeReady;
  /** Nodes that we ended; any other that does not run has ended by itself, or by somebody else. */
  readonly #ended = new Set<NodeId>();

  constructor(engine: DockerEngine, nodes: readonly ContainerNode[], ready: NodeReady) {
    this.nodes = nodes.map(({ node }) => node);
    this.#engine = engine;
    this.#ids = new Map(nodes.map(({ node, id }) => [node, id]));
    this.#ready = ready;
  }

  /** Whether its container was ended, or is being ended, by us. */
  isEndedByUs(node: NodeId): boolean {
    return this.#ended.has(node);
  }

  /** Its end will be our doing although we do not end it ourselves; or no longer. */
  expectEnd(node: NodeId, isExpected: boolean): void {
    if (isExpected) this.#ended.add(node);
    else this.#ended.delete(node);
  }

  async identity(node: NodeId): Promise<ProcessIdentity | undefined> {
    return identityOf(this.#engine.endpoint, await this.#engine.inspect(this.#idOf(node)));
  }

  async state(node: NodeId): Promise<NodeState> {
    const { status } = await this.#engine.inspect(this.#idOf(node));
    if (status === 'paused' || status === 'running') return status;
    return this.#ended.has(node) ? 'stopped' : 'gone';
  }

  async kill(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    const id = this.#idOf(node);
    const before = await this.#running(node, signal);
    this.#ended.add(node);
    await unlessConflict(this.#engine.kill(id, 'SIGKILL', signal));
    await this.#seen(node, 'be gone', ({ status }) => isEnded(status), signal);
    return before;
  }

  async terminate(
    node: NodeId,
    graceMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number | undefined }> {
    await this.#running(node, signal);
    this.#ended.add(node);
    await unlessConflict(this.#engine.kill(this.#idOf(node), 'SIGTERM', signal));
    try {
      const { exitCode } = await this.#seen(node, 'end', ({ status }) => isEnded(status), signal, graceMs);
      return { exitCode };
    } catch (thrown) {
      if (thrown instanceof DeadlineError) return { exitCode: undefined };
      throw thrown;
    }
  }

  async pause(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    const before = await this.#running(node, signal);
    await unlessConflict(this.#engine.pause(this.#idOf(node), signal));
    await this.#seen(node, 'be paused', ({ status }) => status === 'paused', signal);
    return before;
  }

  async resume(node: NodeId, signal: AbortSignal): Promise<void> {
    await unlessConflict(this.#engine.unpause(this.#idOf(node), signal));
    await this.#seen(node, 'be no longer paused', ({ status }) => status !== 'paused', signal);
  }

  async start(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    await this.#engine.start(this.#idOf(node), signal);
    const facts = await this.#seen(node, 'run', ({ status }) => status === 'running', signal);
    this.#ended.delete(node);
    await this.#ready(node, facts, signal);
    return identityOf(this.#engine.endpoint, facts) ?? (await this.#running(node, signal));
  }

  async #seen(
    node: NodeId,
    what: string,
    isWanted: (facts: ContainerFacts) => boolean,
    signal: AbortSignal,
    deadlineMs = SHOWN_MS,
  ): Promise<ContainerFacts> {
    const wait = { awaited: `${node} to ${what}`, deadlineMs, signal };
    return await awaitContainer(this.#engine, this.#idOf(node), wait, isWanted);
  }

  async #running(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    const facts = await this.#engine.inspect(this.#idOf(node), signal);
    const identity = identityOf(this.#engine.endpoint, facts);
    if (identity !== undefined) return identity;
    throw new EnvironmentError('TARGET_NODE_NOT_RUNNING', `${node} does not run: its container is ${facts.status}.`, {
      hint: `Look at its log: docker logs ${facts.id.slice(0, 12)}`,
    });
  }

  #idOf(node: NodeId): string {
    const id = this.#ids.get(node);
    if (id !== undefined) return id;
    throw new InputError('TARGET_NO_SUCH_NODE', `The target has no node named "${node}".`, {
      hint: `Its nodes: ${this.nodes.join(', ')}.`,
    });
  }
}
