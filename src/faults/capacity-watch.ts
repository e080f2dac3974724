// A broker that is new, or new again, on its way to being of use: a process is there long before it carries its share. Each step is
// noted when it is first seen, in one round of questions after the other, and counts from the moment the broker was asked for.
import { systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { BrokerNode, StartedTarget } from '../targets/target.ts';
import type { CapacityStep } from '../vocabulary.ts';
import type { TopicPartition } from '../wire/evidence-calls.ts';
import { type Control, directControl, noteBusyness } from './controls.ts';
import type { CapacityTimes, EvidenceSample } from './fault.ts';
import { type Baseline, isAsBefore, takeBaseline } from './probes/baseline.ts';
import { Busyness } from './probes/busyness.ts';
import { askAnyMetadata, type ClusterView, type PartitionView } from './probes/cluster-metadata.ts';
import { fetchOnce } from './probes/fetch-once.ts';
import { describeProbe } from './probes/probe.ts';

const ROUND_MS = 100;
const ASK_MS = 2000;
/** So long the share is carried, in rounds that are all as quick as before. */
const SUSTAINED_MS = 2000;
const FROM_START = 0;

/** What a broker is to lead, and how quickly others served it before. */
export interface CapacityDuties {
  readonly target: StartedTarget;
  readonly broker: BrokerNode;
  /** At least one. */
  readonly partitions: readonly TopicPartition[];
  /** What it was asked for by, in words: `its start was ordered`. */
  readonly trigger: string;
  /** What it has on its disks of what it is to serve, where that is known. */
  copied?(): Promise<number>;
}

const find = ({ partitions }: ClusterView, { topic, partition }: TopicPartition): PartitionView | undefined =>
  partitions.find((each) => each.topic === topic && each.partition === partition);

export class CapacityWatch {
  readonly #duties: CapacityDuties;
  readonly #baseline: Baseline;
  /** Those of its partitions that have records at their very start, which must be served from there. */
  readonly #cold: readonly TopicPartition[];
  /** A broker that is not in question: what it takes longer is the machine's doing. */
  readonly #control: Control | undefined;
  readonly #busyness = new Busyness();
  readonly #ended = new AbortController();
  readonly #steps: { readonly step: CapacityStep; readonly afterMs: number }[] = [];
  #triggeredAtMs: number | undefined;
  #copiedBytes: number | undefined;
  #quickSinceMs: number | undefined;
  #lastSeen = 'nothing was seen yet';

  private constructor(
    duties: CapacityDuties,
    baseline: Baseline,
    cold: readonly TopicPartition[],
    control: Control | undefined,
  ) {
    this.#duties = duties;
    this.#baseline = baseline;
    this.#cold = cold;
    this.#control = control;
  }

  /** Looks at what the partitions have and how quickly they, and another broker, are served now. */
  static async open(duties: CapacityDuties, signal: AbortSignal): Promise<CapacityWatch> {
    const { target, partitions, broker } = duties;
    const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
    const served = partitions.flatMap((place) => {
      const leader = target.brokers.find(({ id }) => id === find(view, place)?.leader);
      return leader === undefined ? [] : [{ place, leader }];
    });
    const baseline = await takeBaseline(`a fetch of what ${broker.node} is to lead`, async () => {
      const [first] = served;
      if (first === undefined) return { class: 'refused', ms: 0 };
      return await fetchOnce(target, first.leader, { ...first.place, from: 'end' }, ASK_MS, signal);
    });
    const cold: TopicPartition[] = [];
    for (const { place, leader } of served) {
      const oldest = await fetchOnce(target, leader, { ...place, from: FROM_START }, ASK_MS, signal);
      if ((oldest.bytes ?? 0) > 0) cold.push(place);
    }
    const [peer] = target.brokers.filter(({ id }) => id !== broker.id && view.brokers.includes(id));
    const control = peer === undefined ? undefined : await directControl(peer, target, signal);
    return new CapacityWatch(duties, baseline, cold, control);
  }

  /** From here on everything counts. Looks by itself until the last step is seen or it is closed. */
  begin(): void {
    if (this.#triggeredAtMs !== undefined) return;
    this.#triggeredAtMs = systemClock.now();
    void this.#watch();
  }

  close(): void {
    this.#control?.close?.();
    this.#ended.abort(new Error('nobody watches any more'));
  }

  get isDone(): boolean {
    return this.#has('full-share');
  }

  /** Absent until it was begun. */
  get times(): readonly CapacityTimes[] {
    if (this.#triggeredAtMs === undefined) return [];
    const { broker, trigger, partitions } = this.#duties;
    const copied = this.#copiedBytes === undefined ? {} : { copiedBytes: this.#copiedBytes };
    return [{ node: broker.node, trigger, partitions: partitions.length, steps: this.#steps, ...copied }];
  }

  /** Whether the last step is behind it. */
  sample(): EvidenceSample {
    const { broker } = this.#duties;
    const last = this.#steps.at(-1);
    const seen = last === undefined ? this.#lastSeen : `${last.step} after ${Math.round(last.afterMs)} ms`;
    const missing = this.isDone ? '' : `; ${this.#lastSeen}`;
    return { kind: 'effect', holds: this.isDone, seen: `${broker.node}: ${seen}${missing}` };
  }

  #has(step: CapacityStep): boolean {
    return this.#steps.some((each) => each.step === step);
  }

  #note(step: CapacityStep): void {
    if (this.#triggeredAtMs === undefined || this.#has(step)) return;
    this.#steps.push({ step, afterMs: systemClock.now() - this.#triggeredAtMs });
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted && !this.isDone) {
      try {
        this.#lastSeen = await this.#round(AbortSignal.any([signal]));
      } catch (thrown) {
        this.#lastSeen = describeError(thrown);
      }
      await systemClock.sleep(ROUND_MS, signal).catch(() => undefined);
    }
  }

  /** Goes as far as things have come; returns what is still missing, in words. */
  async #round(signal: AbortSignal): Promise<string> {
    const { target, broker, partitions } = this.#duties;
    if (!this.#has('provisioned')) {
      const state = await target.can.processes?.state(broker.node);
      if (state !== undefined && state !== 'running') return `it is ${state}`;
      this.#note('provisioned');
    }
    const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
    if (!view.brokers.includes(broker.id)) return 'nobody names it';
    this.#note('registered');
    const held = partitions.flatMap((place) => find(view, place) ?? []);
    const lacks = (has: (partition: PartitionView) => boolean): number => partitions.length - held.filter(has).length;
    const unassigned = lacks(({ replicas }) => replicas.includes(broker.id));
    if (unassigned > 0) return `${unassigned} partitions are not assigned to it`;
    this.#note('assigned');
    const behind = lacks(({ inSync }) => inSync.includes(broker.id));
    if (behind > 0) return `it is not in sync in ${behind} partitions`;
    await this.#noteCopied();
    const others = lacks(({ leader }) => leader === broker.id);
    if (others > 0) return `others lead ${others} of its partitions`;
    return await this.#serve(signal);
  }

  async #noteCopied(): Promise<void> {
    if (this.#has('in-sync')) return;
    this.#note('in-sync');
    this.#copiedBytes = await this.#duties.copied?.();
  }

  /** Asks it for what it leads: the newest of the first partition, the oldest of each, and the newest again and again. */
  async #serve(signal: AbortSignal): Promise<string> {
    const { target, broker, partitions } = this.#duties;
    const [place] = partitions;
    if (place === undefined) return 'it has nothing to lead';
    const newest = await fetchOnce(target, broker, { ...place, from: 'end' }, ASK_MS, signal);
    if (newest.class !== 'ok') return `a fetch from it ended as ${describeProbe(newest)}`;
    this.#note('first-request');
    if (!this.#has('first-cold-fetch')) {
      for (const each of this.#cold) {
        const oldest = await fetchOnce(target, broker, { ...each, from: FROM_START }, ASK_MS, signal);
        if ((oldest.bytes ?? 0) === 0)
          return `the oldest records of ${each.topic}/${each.partition} do not come from it`;
      }
      if (this.#cold.length > 0) this.#note('first-cold-fetch');
    }
    await noteBusyness(this.#busyness, this.#control === undefined ? [] : [this.#control], signal);
    return this.#noteShare(isAsBefore(newest, this.#baseline, this.#busyness.extraMs), describeProbe(newest));
  }

  #noteShare(isQuick: boolean, seen: string): string {
    const now = systemClock.now();
    if (!isQuick) this.#quickSinceMs = undefined;
    else this.#quickSinceMs ??= now;
    if (this.#quickSinceMs !== undefined && now - this.#quickSinceMs >= SUSTAINED_MS) this.#note('full-share');
    return `it leads what it should; last fetch ${seen}`;
  }
}
