// What is asked of a Docker engine and ordered from it. Types only; dockerode is behind them.
import type { Readable } from 'node:stream';
import type { ContainerUsage, NetworkEndpoint } from './container-control.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { ContainerRecipe } from './container-recipe.ts';

/** Labels a thing must carry, with these values; an empty value asks only for the label. */
export type Labels = Readonly<Record<string, string>>;

export interface EngineVersion {
  readonly engine: string;
  readonly api: string;
  readonly system: string;
}

export interface EngineUsage extends ContainerUsage {
  /** Whether `memoryLimitHits` are only those at which a process was ended. */
  readonly countsOnlyKills: boolean;
}

/** A container that is started beside another one. */
export interface Beside {
  readonly image: string;
  readonly script: string;
  readonly labels: Labels;
  /** What it has of the other one: its volumes, or its network and the right to change that; with `nowhere` only that right. */
  readonly shares?: 'its volumes' | 'its network' | 'nowhere';
}

/** A volume and what it was made with. */
export interface VolumeFacts {
  readonly name: string;
  readonly driver: string;
  readonly options: Readonly<Record<string, string>>;
  readonly labels: Labels;
  /** As the engine writes it. */
  readonly madeAt: string;
}

/** A container as a list tells it. */
export interface ListedContainer {
  /** For people. */
  readonly name: string;
  readonly labels: Labels;
}

export interface DockerEngine {
  readonly endpoint: string;
  readonly version: EngineVersion;
  /** Whole ids of all containers, running or not, that carry the labels. */
  containerIds(labels: Labels, signal?: AbortSignal): Promise<readonly string[]>;
  /** The same containers, with what a list tells of them. */
  listed(labels: Labels, signal?: AbortSignal): Promise<readonly ListedContainer[]>;
  inspect(id: string, signal?: AbortSignal): Promise<ContainerFacts>;
  /** Sends a signal to its first process; never `stop`, which thaws a paused container and kills one that takes its time. */
  kill(id: string, how: 'SIGKILL' | 'SIGTERM', signal?: AbortSignal): Promise<void>;
  pause(id: string, signal?: AbortSignal): Promise<void>;
  unpause(id: string, signal?: AbortSignal): Promise<void>;
  start(id: string, signal?: AbortSignal): Promise<void>;
  /** Ends a container, if it runs, and removes it with the volumes that are its own. */
  removeContainer(id: string, signal?: AbortSignal): Promise<void>;
  /** Changes limits of a container, by the engine's own names of them. */
  update(id: string, limits: Readonly<Record<string, number>>, signal?: AbortSignal): Promise<void>;
  /** Counters of a container; all 0 while it does not run. */
  usage(id: string, signal?: AbortSignal): Promise<EngineUsage>;
  /** Runs a program in a container to its end, as root; both outputs together. How it ended is no proof of what it did. */
  exec(id: string, command: readonly string[], signal?: AbortSignal): Promise<string>;
  /** What a container has printed so far. */
  printed(id: string, signal?: AbortSignal): Promise<string>;
  /** Starts a shell script in a container of its own that shares something of another one; its id. */
  startBeside(id: string, beside: Beside, signal?: AbortSignal): Promise<string>;
  /** What a container was made with. */
  recipe(id: string, signal?: AbortSignal): Promise<ContainerRecipe>;
  /** Makes a container, and does not start it; its id. */
  create(recipe: ContainerRecipe, signal?: AbortSignal): Promise<string>;
  /** Undefined where there is none of that name. */
  volume(name: string, signal?: AbortSignal): Promise<VolumeFacts | undefined>;
  /** Makes a volume as another one was. */
  makeVolume(volume: VolumeFacts, signal?: AbortSignal): Promise<void>;
  /** Names of volumes that carry the labels. */
  volumeNames(labels: Labels, signal?: AbortSignal): Promise<readonly string[]>;
  volumeLabels(name: string, signal?: AbortSignal): Promise<Labels>;
  /** The labels of a volume; made with these where there was none of that name. */
  claimVolume(name: string, labels: Labels, signal?: AbortSignal): Promise<Labels>;
  removeVolume(name: string, signal?: AbortSignal): Promise<void>;
  connect(id: string, endpoint: NetworkEndpoint, signal?: AbortSignal): Promise<void>;
  disconnect(id: string, networkId: string, signal?: AbortSignal): Promise<void>;
  networkIds(labels: Labels, signal?: AbortSignal): Promise<readonly string[]>;
  removeNetwork(id: string, signal?: AbortSignal): Promise<void>;
  /** Both outputs of a container from `sinceMs` on until it ends, multiplexed as the engine sends them. */
  followLogs(id: string, sinceMs: number): Promise<Readable>;
  /** Lines of JSON about containers with the labels, from `sinceMs` on. */
  eventLines(labels: Labels, sinceMs: number): Promise<Readable>;
}
