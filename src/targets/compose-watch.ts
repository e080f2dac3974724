// What happens to the containers of a project while it is used: their logs and the engine's account of their lives, written into the
// run directory as they come, and who of them ended although nobody of us ended it. Where that account has a gap each container is
// looked at: one that runs since another moment than the last one known was ended in it.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectLabels } from './compose-cluster.ts';
import { NODE_LABEL, PATH_LABEL } from './compose-map.ts';
import { type ContainerEdge, ContainerEdges, type EdgeGap } from './container-edges.ts';
import type { ContainerFacts } from './container-facts.ts';
import { ContainerLog } from './container-log.ts';
import type { DockerEngine } from './docker-engine.ts';
import type { NodeId, Unwatched } from './target.ts';

/** What a container is called in the run: its node, or the path it proxies. */
export const partOf = ({ labels, name }: ContainerFacts): string => {
  const path = labels[PATH_LABEL];
  return labels[NODE_LABEL] ?? (path === undefined ? name : `toxiproxy/${path}`);
};

/** Who ends and starts containers of the project on our behalf. */
export interface ContainerOwner {
  isEndedByUs(part: NodeId, atMs?: number): boolean;
  isStartedByUs(part: NodeId, startedAtMs: number): boolean;
}

const NOBODY: ContainerOwner = { isEndedByUs: () => false, isStartedByUs: () => false };

interface WatchedPart {
  readonly part: NodeId;
  readonly id: string;
  readonly log: ContainerLog;
  /** When it was started for the last time, as far as is known; undefined for one that was made meanwhile. */
  startedAtMs: number | undefined;
}

export class ComposeWatch implements AsyncDisposable {
  readonly logs: readonly { readonly node: NodeId; readonly file: string }[];
  readonly edgesFile: string;
  /** Nodes and proxies that ended although we did not end them. */
  readonly casualties = new Set<NodeId>();
  /** Proxies that hung, and that we ended and started again. */
  readonly restarted: NodeId[] = [];
  readonly #engine: DockerEngine;
  readonly #parts: Map<string, WatchedPart>;
  /** Nobody ends any before there is somebody to do it. */
  owner: ContainerOwner = NOBODY;
  #edges: ContainerEdges | undefined;
  readonly #gaps: EdgeGap[] = [];
  #looking: Promise<void> = Promise.resolve();
  readonly #told: { readonly part: NodeId; readonly action: string; readonly wallMs: number }[] = [];

  constructor(engine: DockerEngine, containers: readonly ContainerFacts[], runDirectory: string) {
    const folder = join(runDirectory, 'logs');
    mkdirSync(folder, { recursive: true });
    const parts = containers.map((container) => {
      const part = partOf(container);
      return { part, container, file: join(folder, `${part.replaceAll('/', '-')}.log`) };
    });
    this.#engine = engine;
    this.logs = parts.map(({ part, file }) => ({ node: part, file }));
    this.edgesFile = join(folder, 'containers.ndjson');
    this.#parts = new Map(
      parts.map(({ part, container: { id, startedAtMs }, file }) => [
        id,
        { part, id, log: new ContainerLog(engine, id, file), startedAtMs },
      ]),
    );
  }

  /** A part is another container from now on, whose log goes on in the same file. */
  moved(part: NodeId, id: string): void {
    const file = this.logs.find(({ node }) => node === part)?.file;
    if (file === undefined) return;
    this.#parts.set(id, { part, id, log: new ContainerLog(this.#engine, id, file), startedAtMs: undefined });
  }

  async start(project: string, sinceMs: number): Promise<void> {
    this.#edges = await ContainerEdges.open(this.#engine, projectLabels(project), (edge) => this.#take(edge));
    await Promise.all([...this.#parts.values()].map(async ({ log }) => await log.follow(sinceMs)));
  }

  hasTold(part: NodeId, action: string, sinceMs: number): boolean {
    return this.#told.some((edge) => edge.part === part && edge.action === action && edge.wallMs >= sinceMs);
  }

  /** Gaps in the engine's account, in order; one that has ended has been looked into, or is being. */
  get unwatched(): readonly Unwatched[] {
    const closed = this.#gaps.map(({ gapFromMs, gapToMs, why }) => ({ fromMs: gapFromMs, toMs: gapToMs, why }));
    const broken = this.#edges?.broken;
    return broken === undefined ? closed : [...closed, { fromMs: broken.gapFromMs, why: broken.why }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#edges?.[Symbol.asyncDispose]();
    await this.#looking;
    await Promise.all([...this.#parts.values()].map(async ({ log }) => await log[Symbol.asyncDispose]()));
  }

  #take(edge: ContainerEdge | EdgeGap): void {
    const found = 'id' in edge ? this.#parts.get(edge.id) : undefined;
    // Health checks run a program in each container every few seconds; these edges would hide all others.
    if ('id' in edge && edge.action.startsWith('exec_')) return;
    appendFileSync(this.edgesFile, `${JSON.stringify(found === undefined ? edge : { part: found.part, ...edge })}\n`);
    if (!('id' in edge)) {
      this.#gaps.push(edge);
      this.#looking = this.#looking.then(async () => await this.#lookAtAll());
      return;
    }
    if (found !== undefined) this.#note(found, edge);
  }

  #note(found: WatchedPart, { action, wallMs }: ContainerEdge): void {
    const { part, log } = found;
    this.#told.push({ part, action, wallMs });
    if (action === 'die' && !this.owner.isEndedByUs(part, wallMs)) this.casualties.add(part);
    if (action !== 'start') return;
    // The engine tells of a start after it has noted its moment.
    found.startedAtMs = Math.max(found.startedAtMs ?? 0, wallMs);
    void log.follow(wallMs);
  }

  /** Of each part the container that it is now. */
  async #lookAtAll(): Promise<void> {
    const newest = new Map([...this.#parts.values()].map((each) => [each.part, each]));
    await Promise.all([...newest.values()].map(async (each) => await this.#lookAt(each)));
  }

  async #lookAt(each: WatchedPart): Promise<void> {
    const { part, id, startedAtMs: known = 0 } = each;
    const facts = await this.#engine.inspect(id).catch(() => undefined);
    if (this.owner.isEndedByUs(part)) return;
    if (facts === undefined || facts.pid === 0) {
      // Where the engine is away again, there is another look when it is back.
      if (this.#edges?.broken === undefined) this.casualties.add(part);
      return;
    }
    if (facts.startedAtMs <= known || this.owner.isStartedByUs(part, facts.startedAtMs)) return;
    each.startedAtMs = facts.startedAtMs;
    this.casualties.add(part);
    await each.log.follow(facts.startedAtMs);
  }
}
