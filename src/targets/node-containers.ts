// ContainerControl over a Docker engine. As with everything that an engine is told, its answer proves nothing: each order is followed
// by looks at the container until it is seen to be so.
import { EnvironmentError } from '../errors.ts';
import type {
  ContainerControl,
  ContainerLimits,
  ContainerUsage,
  CutState,
  Dialled,
  DisturbanceLeft,
  DisturbanceState,
  FillState,
  LogVolume,
  NetworkCut,
  NetworkEndpoint,
  PacketDisturbance,
  PacketFilter,
  ToldAddress,
  VolumeFill,
} from './container-control.ts';
import { endpointDifferences, endpointIn } from './container-endpoints.ts';
import { type ContainerFacts, hasProcess } from './container-facts.ts';
import { limitDifferences, limitOrder } from './container-limits.ts';
import { SHOWN_MS } from './container-nodes.ts';
import type { ContainerRoster } from './container-roster.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isAlreadySo } from './docker-failure.ts';
import { type ToldNode, toldToDial } from './kafka-dials.ts';
import {
  connectFrom,
  cutLeft,
  endCut,
  filterRules,
  findPacketFilter,
  listeningPorts,
  readCut,
  refuseOtherAddresses,
  startCut,
} from './network-cut.ts';
import {
  disturbanceLeft,
  endDisturbance,
  readDisturbance,
  refuseWithoutNetem,
  startDisturbance,
} from './packet-disturbance.ts';
import type { ContainerReference, NodeId } from './target.ts';
import { endFill, findLogVolume, readFill, startFill } from './volume-fill.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const LOOK_EVERY_MS = 25;

/** A network can only be left by who is in it, and entered by who is not: which it is, the look afterwards tells. */
const unlessAlreadySo = async (call: Promise<void>): Promise<void> => {
  await call.catch((thrown: unknown) => {
    if (!isAlreadySo(thrown)) throw thrown;
  });
};

/** What whoever watches the containers for a whole run knows of them. */
export interface ContainerWatch {
  hasTold(node: NodeId, action: string, sinceMs: number): boolean;
  expectEnd(node: NodeId, isExpected: boolean): void;
}

/** Nobody watches for somebody who only puts things back. */
const NO_WATCH: ContainerWatch = { hasTold: () => false, expectEnd: () => undefined };

/** How often the kernel held a container to its memory limit, by a control group's `memory.events`. */
const limitHitsOf = (memoryEvents: string): number => Number(/^max (\d+)$/mu.exec(memoryEvents)?.[1] ?? 0);

export class NodeContainers implements ContainerControl {
  readonly nodes: readonly NodeId[];
  readonly #engine: DockerEngine;
  readonly #roster: ContainerRoster;
  readonly #watch: ContainerWatch;
  readonly #helperImage: string | undefined;
  readonly #programs = new Map<string, Promise<PacketFilter>>();

  /** `helperImage`: of containers beside those of the nodes, where these have not what it takes. */
  constructor(engine: DockerEngine, roster: ContainerRoster, watch: ContainerWatch = NO_WATCH, helperImage?: string) {
    this.nodes = roster.nodes;
    this.#engine = engine;
    this.#watch = watch;
    this.#helperImage = helperImage;
    this.#roster = roster;
  }

  reference(node: NodeId): ContainerReference {
    return { engine: this.#engine.endpoint, id: this.#roster.idOf(node) };
  }

  async limits(node: NodeId, signal?: AbortSignal): Promise<ContainerLimits> {
    return (await this.#inspect(node, signal)).limits;
  }

  async setLimits(node: NodeId, limits: Partial<ContainerLimits>, signal: AbortSignal): Promise<void> {
    await this.#engine.update(this.#roster.idOf(node), limitOrder(limits), signal);
    await this.#seen(node, 'have its limits', signal, (facts) => limitDifferences(limits, facts.limits));
  }

  async usage(node: NodeId, signal?: AbortSignal): Promise<ContainerUsage> {
    const id = this.#roster.idOf(node);
    const { countsOnlyKills, ...usage } = await this.#engine.usage(id, signal);
    if (!countsOnlyKills) return usage;
    // In a paused container no program can be run; what the engine counts by itself has to do.
    const counted = await this.#engine.exec(id, ['cat', '/sys/fs/cgroup/memory.events'], signal).catch(() => '');
    return { ...usage, memoryLimitHits: Math.max(usage.memoryLimitHits, limitHitsOf(counted)) };
  }

  async exitCode(node: NodeId, signal?: AbortSignal): Promise<number | undefined> {
    const facts = await this.#inspect(node, signal);
    return hasProcess(facts) || facts.status === 'restarting' ? undefined : facts.exitCode;
  }

  hasTold(node: NodeId, action: string, sinceMs: number): boolean {
    return this.#watch.hasTold(node, action, sinceMs);
  }

  expectEnd(node: NodeId, isExpected: boolean): void {
    this.#watch.expectEnd(node, isExpected);
  }

  async takeMemory(node: NodeId, bytes: number, signal: AbortSignal): Promise<void> {
    // A block of that size is memory that is written to, so that it is taken and not only promised.
    const command = ['dd', 'if=/dev/zero', 'of=/dev/null', `bs=${bytes}`, 'count=1'];
    // A container whose process is ended by it takes the program along, and the engine then tells of one error or another.
    await this.#engine.exec(this.#roster.idOf(node), command, signal).catch(() => signal.throwIfAborted());
  }

  async logVolume(node: NodeId, signal: AbortSignal): Promise<LogVolume | undefined> {
    return await findLogVolume(this.#engine, await this.#inspect(node, signal), signal);
  }

  async fill(node: NodeId, fill: VolumeFill, signal: AbortSignal): Promise<void> {
    await startFill(this.#engine, this.#roster.idOf(node), fill, signal);
  }

  async fillState(node: NodeId, fill: VolumeFill, signal?: AbortSignal): Promise<FillState> {
    return await readFill(this.#engine, this.#roster.idOf(node), fill, signal);
  }

  async removeFill(node: NodeId, fill: VolumeFill, signal: AbortSignal): Promise<void> {
    await endFill(this.#engine, this.#roster.idOf(node), fill, signal);
  }

  async refuseUndisturbable(node: NodeId, runId: string, signal: AbortSignal): Promise<void> {
    await refuseWithoutNetem(this.#engine, await this.#inspect(node, signal), runId, signal);
  }

  async disturb(node: NodeId, disturbance: PacketDisturbance, signal: AbortSignal): Promise<void> {
    await startDisturbance(this.#engine, await this.#inspect(node, signal), disturbance, signal);
  }

  async disturbanceState(node: NodeId, signal?: AbortSignal): Promise<DisturbanceState> {
    return await readDisturbance(this.#engine, await this.#inspect(node, signal), signal);
  }

  async disturbanceLeft(node: NodeId, disturbance: PacketDisturbance, signal?: AbortSignal): Promise<DisturbanceLeft> {
    return await disturbanceLeft(this.#engine, await this.#inspect(node, signal), disturbance, signal);
  }

  async endDisturbance(node: NodeId, disturbance: PacketDisturbance, signal: AbortSignal): Promise<void> {
    await endDisturbance(this.#engine, await this.#inspect(node, signal), disturbance, signal);
  }

  async listening(node: NodeId, signal: AbortSignal): Promise<readonly number[]> {
    return await listeningPorts(this.#engine, await this.#inspect(node, signal), signal);
  }

  async toldToDial(from: NodeId, to: NodeId, signal: AbortSignal): Promise<readonly ToldAddress[]> {
    const told = async (node: NodeId): Promise<ToldNode> => ({ ...(await this.#inspect(node, signal)), node });
    return await toldToDial(this.#engine, await told(from), await told(to), signal);
  }

  async packetFilter(
    node: NodeId,
    runId: string,
    signal: AbortSignal,
  ): Promise<PacketFilter & Pick<NetworkCut, 'rules' | 'sinceMs'>> {
    const facts = await this.#inspect(node, signal);
    await refuseOtherAddresses(this.#engine, facts, signal);
    const found = await this.#programOf(facts, runId, signal);
    const rules = await filterRules(this.#engine, facts, { ...found, runId }, signal);
    return { ...found, rules, sinceMs: facts.startedAtMs };
  }

  async connectFrom(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<CutState['answers']> {
    return await connectFrom(this.#engine, await this.#inspect(node, signal), cut, signal);
  }

  async cut(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<void> {
    await startCut(this.#engine, await this.#inspect(node, signal), cut, signal);
  }

  async cutState(node: NodeId, cut: NetworkCut, others: readonly Dialled[], signal?: AbortSignal): Promise<CutState> {
    return await readCut(this.#engine, await this.#inspect(node, signal), cut, others, signal);
  }

  async cutLeft(node: NodeId, cut: NetworkCut, signal?: AbortSignal): Promise<readonly string[]> {
    return await cutLeft(this.#engine, await this.#inspect(node, signal), cut, signal);
  }

  async endCut(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<void> {
    await endCut(this.#engine, await this.#inspect(node, signal), cut, signal);
  }

  async endpoints(node: NodeId, signal?: AbortSignal): Promise<readonly NetworkEndpoint[]> {
    return (await this.#inspect(node, signal)).endpoints;
  }

  async disconnect(node: NodeId, networkId: string, signal: AbortSignal): Promise<void> {
    const isThere = ({ endpoints }: ContainerFacts): boolean => endpoints.some((each) => each.networkId === networkId);
    if (!isThere(await this.#inspect(node, signal))) return;
    await unlessAlreadySo(this.#engine.disconnect(this.#roster.idOf(node), networkId, signal));
    await this.#seen(node, 'be out of the network', signal, (facts) => (isThere(facts) ? ['it is still there'] : []));
  }

  async connect(node: NodeId, endpoint: NetworkEndpoint, signal: AbortSignal): Promise<void> {
    const differences = (facts: ContainerFacts): readonly string[] => {
      return endpointDifferences(endpoint, endpointIn(facts.endpoints, endpoint), hasProcess(facts));
    };
    if (differences(await this.#inspect(node, signal)).length === 0) return;
    await this.disconnect(node, endpoint.networkId, signal);
    await unlessAlreadySo(this.#engine.connect(this.#roster.idOf(node), endpoint, signal));
    const now = differences(await this.#inspect(node, signal));
    if (now.length === 0) return;
    throw new EnvironmentError(
      'DOCKER_OTHER_ENDPOINT',
      `${node} was connected again, and not as it was: ${now.join('; ')}.`,
      { hint: 'Disconnect and connect it by hand as it was, or make it anew: docker compose up -d --force-recreate.' },
    );
  }

  /** Tried once for each image: it takes a container of its own. */
  async #programOf(facts: ContainerFacts, runId: string, signal: AbortSignal): Promise<PacketFilter> {
    const image = this.#helperImage ?? facts.imageId;
    const trying =
      this.#programs.get(image) ??
      findPacketFilter(this.#engine, facts, { runId, image: this.#helperImage }, signal).catch((thrown: unknown) => {
        this.#programs.delete(image);
        throw thrown;
      });
    this.#programs.set(image, trying);
    return await trying;
  }

  async #inspect(node: NodeId, signal?: AbortSignal): Promise<ContainerFacts> {
    return await this.#engine.inspect(this.#roster.idOf(node), signal);
  }

  async #seen(
    node: NodeId,
    what: string,
    signal: AbortSignal,
    missing: (facts: ContainerFacts) => readonly string[],
  ): Promise<void> {
    const wait = { awaited: `${node} to ${what}`, deadlineMs: SHOWN_MS, everyMs: LOOK_EVERY_MS, signal };
    await waitFor(wait, async () => {
      const differences = missing(await this.#inspect(node, signal));
      return differences.length === 0 ? done(true) : notYet(differences.join('; '));
    });
  }
}
