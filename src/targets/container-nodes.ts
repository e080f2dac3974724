// ProcessControl over containers. The engine's answer to a call proves nothing: each is followed by looks at the container until
// it is seen to be so. `startedAt` of an identity tells a container that was restarted behind our back from the one that was meant.
import { systemClock } from '../clock.ts';
import { DeadlineError, EnvironmentError } from '../errors.ts';
import type { ContainerFacts, ContainerPhase } from './container-facts.ts';
import type { ContainerRoster } from './container-roster.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isConflict } from './docker-failure.ts';
import type { NodeId, NodeState, ProcessControl, ProcessIdentity } from './target.ts';
import { done, notYet, type Wait, waitFor } from './wait-for.ts';

/** How long the engine may take to show what it was told to do. */
export const SHOWN_MS = 10_000;
const LOOK_EVERY_MS = 25;

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
  readonly #roster: ContainerRoster;
  readonly #ready: NodeReady;
  /** Nodes that we ended; any other that does not run has ended by itself, or by somebody else. */
  readonly #ended = new Set<NodeId>();
  /**
   * When each end was, or would have been, our doing; open while it still is. By the engine's clock, which tells when ends were: from
   * the start of the container that we end to that of the next. By our own only where an end is expected and nobody starts it anew.
   */
  readonly #spans: { readonly node: NodeId; readonly fromMs: number; toMs: number }[] = [];
  /** Starts of ours, as the engine tells their moments: `broker/1 1796018887745`. */
  readonly #starts = new Set<string>();

  constructor(engine: DockerEngine, roster: ContainerRoster, ready: NodeReady) {
    this.nodes = roster.nodes;
    this.#engine = engine;
    this.#roster = roster;
    this.#ready = ready;
  }

  /** Whether its container was ended, or is being ended, by us: now, or at a moment of the engine's clock that is told of later. */
  isEndedByUs(node: NodeId, atMs?: number): boolean {
    if (atMs === undefined || this.#ended.has(node)) return this.#ended.has(node);
    return this.#spans.some((span) => span.node === node && span.fromMs <= atMs && atMs <= span.toMs);
  }

  /** Whether its container was started by us, the time that the engine tells. */
  isStartedByUs(node: NodeId, startedAtMs: number): boolean {
    return this.#starts.has(`${node} ${startedAtMs}`);
  }

  /** Its end will be our doing although we do not end it ourselves; or no longer. */
  expectEnd(node: NodeId, isExpected: boolean): void {
    const nowMs = systemClock.wall();
    if (isExpected) this.#begin(node, nowMs);
    else this.#end(node, nowMs);
  }

  async identity(node: NodeId): Promise<ProcessIdentity | undefined> {
    return identityOf(this.#engine.endpoint, await this.#engine.inspect(this.#roster.idOf(node)));
  }

  async state(node: NodeId): Promise<NodeState> {
    const { status } = await this.#engine.inspect(this.#roster.idOf(node));
    if (status === 'paused' || status === 'running') return status;
    return this.#ended.has(node) ? 'stopped' : 'gone';
  }

  async kill(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    const id = this.#roster.idOf(node);
    const before = await this.#running(node, signal);
    this.#begin(node, before.startedAt);
    await unlessConflict(this.#engine.kill(id, 'SIGKILL', signal));
    await this.#seen(node, 'be gone', ({ status }) => isEnded(status), signal);
    return before;
  }

  async terminate(
    node: NodeId,
    graceMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number | undefined }> {
    const { startedAt } = await this.#running(node, signal);
    this.#begin(node, startedAt);
    await unlessConflict(this.#engine.kill(this.#roster.idOf(node), 'SIGTERM', signal));
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
    await unlessConflict(this.#engine.pause(this.#roster.idOf(node), signal));
    await this.#seen(node, 'be paused', ({ status }) => status === 'paused', signal);
    return before;
  }

  async resume(node: NodeId, signal: AbortSignal): Promise<void> {
    await unlessConflict(this.#engine.unpause(this.#roster.idOf(node), signal));
    await this.#seen(node, 'be no longer paused', ({ status }) => status !== 'paused', signal);
  }

  async start(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    await unlessConflict(this.#engine.start(this.#roster.idOf(node), signal));
    const facts = await this.#seen(node, 'run', ({ status }) => status === 'running', signal);
    this.#starts.add(`${node} ${facts.startedAtMs}`);
    this.#end(node, facts.startedAtMs);
    await this.#ready(node, facts, signal);
    return identityOf(this.#engine.endpoint, facts) ?? (await this.#running(node, signal));
  }

  #begin(node: NodeId, fromMs: number): void {
    if (this.#ended.has(node)) return;
    this.#ended.add(node);
    this.#spans.push({ node, fromMs, toMs: Number.POSITIVE_INFINITY });
  }

  #end(node: NodeId, toMs: number): void {
    this.#ended.delete(node);
    const open = this.#spans.find((span) => span.node === node && span.toMs === Number.POSITIVE_INFINITY);
    if (open !== undefined) open.toMs = toMs;
  }

  async #seen(
    node: NodeId,
    what: string,
    isWanted: (facts: ContainerFacts) => boolean,
    signal: AbortSignal,
    deadlineMs = SHOWN_MS,
  ): Promise<ContainerFacts> {
    const wait = { awaited: `${node} to ${what}`, deadlineMs, signal };
    return await awaitContainer(this.#engine, this.#roster.idOf(node), wait, isWanted);
  }

  async #running(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity> {
    const facts = await this.#engine.inspect(this.#roster.idOf(node), signal);
    const identity = identityOf(this.#engine.endpoint, facts);
    if (identity !== undefined) return identity;
    throw new EnvironmentError('TARGET_NODE_NOT_RUNNING', `${node} does not run: its container is ${facts.status}.`, {
      hint: `Look at its log: docker logs ${facts.id.slice(0, 12)}`,
    });
  }
}
