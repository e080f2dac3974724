// Faults of connections, performed by proxies: what all of them share. A fault says which links it changes and how, and which
// probe results it promises; the rest (baseline, apply with read-back, samples, undo, the proof of healing) is here.
import { systemClock } from '../clock.ts';
import { EnvironmentError, InternalError } from '../errors.ts';
import type { Link, NodeId, PathName, StartedTarget } from '../targets/target.ts';
import {
  equalsSnapshot,
  type ProxyState,
  type ToxicSpec,
  type ToxiproxyProcess,
  toxicReadsBack,
} from './backends/toxiproxy.ts';
import { type Control, needControls, noteBusyness, sampleControl, tellingControls } from './controls.ts';
import type { Begun, EvidenceSample, FaultContext, HealSample, PreparedFault, UndoRecord } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { healError } from './heal-stack.ts';
import type { LinkCanary } from './link-canary.ts';
import { type PathProbes, pathControls, smallQuestions } from './path-controls.ts';
import { type Baseline, isAsBefore, isWell, PATIENT_MS } from './probes/baseline.ts';
import { Busyness } from './probes/busyness.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';
import { performUndo, reachOf } from './undo.ts';
import type { Victims } from './victim.ts';

/** What is done to one proxy. */
export interface LinkChange {
  /** False closes the listener and every connection. */
  readonly enabled: boolean;
  readonly toxics: readonly ToxicSpec[];
  /** Whether existing connections are ended as the fault begins. */
  readonly bounce?: boolean;
}

/** One canary's samples in a round. */
export type EffectProbe = (canary: LinkCanary, signal: AbortSignal) => Promise<readonly EvidenceSample[]>;

export interface LinkFaultRequest {
  readonly fault: UndoRecord['fault'];
  readonly context: FaultContext;
  readonly victims: Victims;
  readonly path: PathName;
  /** Where they are not all links of the victims on the path. */
  readonly links?: readonly Link[];
  /** Nodes that are no victims, and dial through these links as well. */
  readonly alongside?: readonly NodeId[];
  readonly change: LinkChange;
  readonly effect: EffectProbe;
  /** How its canaries and controls ask, where small questions would not show it. */
  readonly probes?: PathProbes;
  /** What counts as well for the controls of this fault. */
  readonly controlBound?: (probe: ProbeResult, baseline: Baseline) => boolean;
  /** How many times slower than before a healed path may be, where that is not the usual. */
  readonly slower?: number;
  /** Puts away what the fault's own canary made. */
  readonly tidy?: (signal: AbortSignal) => Promise<void>;
}

interface LinkFaultPlan extends LinkFaultRequest {
  readonly links: readonly Link[];
  readonly controls: readonly Control[];
  /** By the system clock. */
  readonly openedAtMs: number;
}

/** A proxy without the toxics of other faults of this run, which come and go for themselves. */
const ofThisFault = (state: ProxyState, { context, change }: LinkFaultRequest): ProxyState => {
  const own = change.toxics.map((toxic) => toxic.name);
  const isOthers = (name: string): boolean => name.startsWith(`${toxicPrefix(context)}-`) && !own.includes(name);
  return { ...state, toxics: state.toxics.filter((toxic) => !isOthers(toxic.name)) };
};

/** All links of the victims on a path; every victim must have one. */
export const linksOf = (target: StartedTarget, path: PathName, victims: Victims): readonly Link[] => {
  const all = target.can.links?.all ?? [];
  return victims.nodes.flatMap((node) => {
    const found = all.filter((link) => link.path === path && link.node === node);
    if (found.length > 0) return found;
    throw new EnvironmentError('FAULT_NO_LINK', `No proxy on the path ${path} leads to ${node}.`, {
      hint: 'Put one there, or choose another victim.',
    });
  });
};

class LinkFault implements PreparedFault {
  readonly victims: PreparedFault['victims'];
  readonly brokers: PreparedFault['brokers'];
  readonly alongside: readonly NodeId[];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly #plan: LinkFaultPlan;
  readonly #canaries: readonly LinkCanary[];
  readonly #before: ReadonlyMap<string, ProxyState>;
  readonly #busyness = new Busyness();

  constructor(plan: LinkFaultPlan, canaries: readonly LinkCanary[], before: ReadonlyMap<string, ProxyState>) {
    this.#plan = plan;
    this.#canaries = canaries;
    this.#before = before;
    this.victims = plan.victims.nodes;
    this.brokers = plan.victims.brokers.map((broker) => broker.id);
    this.alongside = plan.alongside ?? [];
    this.chosen = plan.victims.chosen;
    this.undo = { fault: plan.fault, steps: plan.links.map((link) => this.#undoStep(link)) };
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }> {
    for (const link of this.#plan.links) {
      signal.throwIfAborted();
      await this.#applyTo(link);
      begun(`changed ${link.proxy}`);
    }
    return { answer: `changed ${this.#plan.links.map((link) => link.proxy).join(', ')}` };
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { links, effect, controlBound } = this.#plan;
    const parts = await Promise.all([
      ...links.map(async (link) => [await this.#mechanism(link)]),
      ...this.#canaries.map(async (canary) => await effect(canary, signal)),
      ...this.#controls().map(async (control) => [await sampleControl(control, signal, controlBound)]),
    ]);
    return parts.flat();
  }

  async heal(signal: AbortSignal): Promise<void> {
    const problems = await performUndo([this.undo], this.#reach, signal);
    await this.#plan.tidy?.(signal).catch(() => undefined);
    const error = healError(problems);
    if (error !== undefined) throw error;
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    const samples: HealSample[] = [];
    const { controlBound = isWell, slower } = this.#plan;
    await noteBusyness(this.#busyness, this.#controls(), signal);
    // One after the other, as the baseline was taken: probes must not slow each other down.
    for (const canary of this.#canaries) {
      const { link, baseline } = canary;
      samples.push(await this.#asBefore(link));
      const result = await canary.probe(PATIENT_MS, signal);
      const holds = isAsBefore(result, baseline, this.#busyness.extraMs, slower);
      const isSlow = !holds && controlBound(result, baseline);
      samples.push({
        kind: 'effect',
        holds,
        seen: `${link.proxy}: ${describeProbe(result)}`,
        ...(isSlow && { isSlow }),
      });
    }
    return samples;
  }

  close(): void {
    for (const canary of this.#canaries) canary.close();
    for (const control of this.#plan.controls) control.close?.();
  }

  #controls(): readonly Control[] {
    return tellingControls(this.#plan.controls, this.#plan.context, this.#plan.openedAtMs);
  }

  get #reach() {
    return reachOf(this.#plan.context.target);
  }

  #proxyOf(link: Link): ToxiproxyProcess {
    return this.#reach.toxiproxy(link.admin);
  }

  #stateBefore(link: Link): ProxyState {
    const state = this.#before.get(link.proxy);
    if (state === undefined) throw new InternalError('FAULT_NO_SNAPSHOT', `${link.proxy} was not looked at.`);
    return state;
  }

  #undoStep(link: Link): UndoRecord['steps'][number] {
    const { toxics } = this.#plan.change;
    return {
      do: 'restore-proxy',
      admin: link.admin,
      proxy: this.#stateBefore(link),
      toxics: toxics.map((toxic) => toxic.name),
    };
  }

  async #applyTo(link: Link): Promise<void> {
    const { change } = this.#plan;
    const proxy = this.#proxyOf(link);
    for (const toxic of change.toxics) await proxy.addToxic(link.proxy, toxic);
    if (!change.enabled) await proxy.setEnabled(link.proxy, false);
    else if (change.bounce === true) await proxy.bounce(link.proxy);
  }

  async #mechanism(link: Link): Promise<EvidenceSample> {
    const { change } = this.#plan;
    const state = await this.#proxyOf(link).readBack(link.proxy);
    const before = this.#stateBefore(link);
    const differences = [
      ...change.toxics.map((toxic) => toxicReadsBack(state, toxic)),
      ...(state.enabled === change.enabled ? [] : [`${link.proxy} is ${state.enabled ? 'enabled' : 'disabled'}`]),
      ...(state.upstream === before.upstream ? [] : [`${link.proxy} leads to ${state.upstream}`]),
    ].filter((difference) => difference !== undefined);
    const toxics = change.toxics.map((toxic) => `${toxic.type} ${toxic.stream}`).join(', ');
    const fine = `${link.proxy} reads back ${change.enabled ? toxics : 'disabled'}`;
    return { kind: 'mechanism', holds: differences.length === 0, seen: differences[0] ?? fine };
  }

  async #asBefore(link: Link): Promise<EvidenceSample> {
    const state = ofThisFault(await this.#proxyOf(link).readBack(link.proxy), this.#plan);
    const difference = equalsSnapshot(state, this.#stateBefore(link));
    return { kind: 'mechanism', holds: difference === undefined, seen: difference ?? `${link.proxy} is as before` };
  }
}

/** Opens canaries and controls, takes baselines and snapshots; nothing is changed yet. */
export const prepareLinkFault = async (request: LinkFaultRequest, signal: AbortSignal): Promise<PreparedFault> => {
  const { fault, context, path, victims } = request;
  const { target } = context;
  const links = request.links ?? linksOf(target, path, victims);
  const openedAtMs = systemClock.now();
  const probes = request.probes ?? smallQuestions(context, signal);
  const controls = needControls(await pathControls(context, { path, victims, links }, probes, signal), fault);
  const canaries: LinkCanary[] = [];
  try {
    const reach = reachOf(target);
    const states = await Promise.all(links.map(async (link) => await reach.toxiproxy(link.admin).readBack(link.proxy)));
    for (const link of links) canaries.push(await probes.canary(link));
    const before = new Map(states.map((state) => [state.name, ofThisFault(state, request)]));
    return new LinkFault({ ...request, links, controls, openedAtMs }, canaries, before);
  } catch (thrown) {
    for (const opened of [...canaries, ...controls]) opened.close?.();
    throw thrown;
  }
};
