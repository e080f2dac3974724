// The engine's own account of what happened to containers, kept for a whole run: it tells that something happened and when, and
// nothing about how a container is now (only a look does). The stream is opened before anything is done; where it breaks it is
// opened again from the last edge seen, and the gap is marked, because the engine remembers only its last 256 events.
import { createInterface } from 'node:readline';
import { type Clock, systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { DockerEngine, Labels } from './docker-engine.ts';

/** One edge of a container's life. */
export interface ContainerEdge {
  /** `die`, `kill`, `start`, `pause` …, in Docker's own words. */
  readonly action: string;
  readonly id: string;
  readonly wallMs: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A time about which the engine may have told nothing, or not all. */
export interface EdgeGap {
  readonly gapFromMs: number;
  readonly gapToMs: number;
  readonly why: string;
}

export type EdgeListener = (edge: ContainerEdge | EdgeGap) => void;

const REOPEN_MS = 250;

interface RawEdge {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly time?: number;
  readonly timeNano?: number;
}

/** Podman's words for the same things. */
const WORDS: Readonly<Record<string, string>> = { died: 'die' };

/** A line of the stream; undefined for what is no edge of a container. */
export const parseEdge = (line: string): ContainerEdge | undefined => {
  let raw: RawEdge;
  try {
    raw = JSON.parse(line) as RawEdge;
  } catch {
    return undefined;
  }
  const { Action, Actor, time = 0, timeNano } = raw;
  if (Action === undefined || Actor?.ID === undefined) return undefined;
  const wallMs = timeNano === undefined ? time * 1000 : Math.floor(timeNano / 1_000_000);
  return { action: WORDS[Action] ?? Action, id: Actor.ID, wallMs, attributes: Actor.Attributes ?? {} };
};

/** Follows the edges of all containers with `labels` until it is disposed of. */
export class ContainerEdges implements AsyncDisposable {
  readonly #engine: DockerEngine;
  readonly #labels: Labels;
  readonly #tell: EdgeListener;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #seenMs: number;
  #broken: Omit<EdgeGap, 'gapToMs'> | undefined;
  #close: () => void = () => undefined;

  private constructor(engine: DockerEngine, labels: Labels, tell: EdgeListener, clock: Clock) {
    this.#engine = engine;
    this.#labels = labels;
    this.#tell = tell;
    this.#clock = clock;
    this.#seenMs = clock.wall();
  }

  /** Returns once the stream is open: what happens from then on is told. */
  static async open(
    engine: DockerEngine,
    labels: Labels,
    tell: EdgeListener,
    clock: Clock = systemClock,
  ): Promise<ContainerEdges> {
    const edges = new ContainerEdges(engine, labels, tell, clock);
    const first = await edges.#openStream();
    edges.#following = edges.#follow(first);
    return edges;
  }

  /** A gap that has not ended yet. */
  get broken(): Omit<EdgeGap, 'gapToMs'> | undefined {
    return this.#broken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#close();
    await this.#following;
  }

  async #openStream(): Promise<AsyncIterable<string>> {
    const stream = await this.#engine.eventLines(this.#labels, this.#seenMs);
    this.#close = () => stream.destroy();
    const lines = createInterface({ input: stream });
    // The lines end by themselves only where the stream does so properly.
    for (const end of ['error', 'close'] as const) stream.on(end, () => lines.close());
    if (this.#over.signal.aborted) stream.destroy();
    return lines;
  }

  async #follow(first: AsyncIterable<string>): Promise<void> {
    for (let lines: AsyncIterable<string> | undefined = first; lines !== undefined; ) {
      let why = 'the engine ended the stream';
      try {
        for await (const line of lines) this.#take(line);
      } catch (thrown) {
        why = describeError(thrown);
      }
      lines = await this.#reopened(why);
    }
  }

  /** Opens the stream again and marks what may be missing; undefined once it is over. */
  async #reopened(why: string): Promise<AsyncIterable<string> | undefined> {
    const gapFromMs = this.#seenMs;
    if (!this.#over.signal.aborted) this.#broken = { gapFromMs, why };
    while (!this.#over.signal.aborted) {
      try {
        const lines = await this.#openStream();
        this.#broken = undefined;
        this.#tell({ gapFromMs, gapToMs: this.#clock.wall(), why });
        return lines;
      } catch {
        await this.#clock.sleep(REOPEN_MS, this.#over.signal).catch(() => undefined);
      }
    }
    return undefined;
  }

  #take(line: string): void {
    const edge = parseEdge(line);
    if (edge === undefined) return;
    this.#seenMs = Math.max(this.#seenMs, edge.wallMs);
    this.#tell(edge);
  }
}
