// The controller: keeps the broker registry, the topics and who owns what, and moves ownership away from brokers that are
// not heard of any more. It decides only after the store has confirmed; a broker that cannot reach it keeps what it owns.
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import type { ClusterView } from '../cluster-view.ts';
import { freshId } from '../fresh-id.ts';
import type { ProgramLog } from '../program-log.ts';
import {
  addTopic,
  assignUnowned,
  type ControllerState,
  hasUnowned,
  type Registration,
  raiseEpoch,
  registerBroker,
  removeTopic,
  reserveProducerIds,
  retireBrokers,
} from './controller-state.ts';
import { movesBetween } from './moves.ts';
import { SessionTable } from './session-table.ts';
import type { StateStore } from './state-store.ts';
import { checkDeletable, type TopicWish, topicFor } from './topic-rules.ts';

export interface ControllerOptions {
  readonly states: StateStore;
  readonly clock: Clock;
  readonly log: ProgramLog;
  readonly sessionTimeoutMs: number;
  /** How long a heartbeat is held when there is nothing new. */
  readonly heartbeatMs: number;
  /** Brokers to wait for before partitions without an owner are handed out. */
  readonly expectedBrokers: number;
  /** How long to wait for them. */
  readonly gatherMs: number;
}

export interface HeartbeatAnswer {
  /** False: this incarnation is not registered as live; it must register (again). */
  readonly known: boolean;
  /** Only when it is newer than the one the broker has. */
  readonly view?: ClusterView;
}

const STORE_DEADLINE_MS = 4000;
const PRODUCER_ID_BLOCK = 1000;
/** How long a new topic may take to be known everywhere; a broker that is down for good is not waited for longer. */
const SPREAD_MS = 1000;
/** How long a broker that leaves is kept waiting for the others to hear of it. */
const FAREWELL_MS = 250;
const SPREAD_POLL_MS = 2;

const viewOf = (state: ControllerState): ClusterView => {
  const { version, clusterId, controllerId, brokers, topics } = state;
  return { version, clusterId, controllerId, brokers, topics };
};

export class Controller {
  private readonly options: ControllerOptions;
  private readonly sessions: SessionTable;
  private state: ControllerState;
  private readonly waiting = new Set<() => void>();
  /** The newest view that each broker said it has. */
  private readonly known = new Map<number, number>();
  private readonly stopped = new AbortController();
  private gatherUntil: number | undefined;

  private constructor(options: ControllerOptions, state: ControllerState) {
    this.options = options;
    this.state = state;
    this.sessions = new SessionTable(options.clock, options.sessionTimeoutMs);
  }

  /** Reads the state back, waiting for the store as long as it takes `deadlineMs`, and begins to watch sessions. */
  static async start(options: ControllerOptions, deadlineMs: number): Promise<Controller> {
    const { after } = await options.states.change((state) => state, deadlineMs);
    const controller = new Controller(options, after);
    for (const broker of after.brokers) if (broker.live) controller.sessions.touch(broker.id);
    void controller.watch();
    return controller;
  }

  stop(): void {
    this.stopped.abort();
    this.wake();
  }

  get view(): ClusterView {
    return viewOf(this.state);
  }

  async register(registration: Registration): Promise<ClusterView> {
    this.sessions.touch(registration.brokerId);
    await this.change(`broker ${registration.brokerId} registered`, (state) => {
      const registered = registerBroker(state, registration);
      return this.isGathering(registered) ? registered : assignUnowned(registered);
    });
    this.known.set(registration.brokerId, this.state.version);
    return this.view;
  }

  /** Answers at once when there is something new, otherwise after `heartbeatMs`. */
  async heartbeat(brokerId: number, incarnation: string, knownVersion: number): Promise<HeartbeatAnswer> {
    const isKnown = (): boolean =>
      this.state.brokers.some((broker) => broker.id === brokerId && broker.incarnation === incarnation && broker.live);
    if (!isKnown()) return { known: false };
    this.sessions.touch(brokerId);
    this.known.set(brokerId, knownVersion);
    if (this.state.version <= knownVersion) await this.news();
    return this.state.version > knownVersion ? { known: isKnown(), view: this.view } : { known: isKnown() };
  }

  /** A broker leaves in good order: its partitions have new owners when this resolves, and the others have been told. */
  async resign(brokerId: number, incarnation: string): Promise<ClusterView> {
    this.sessions.forget(brokerId);
    const { version } = this.state;
    await this.change(`broker ${brokerId} resigned`, (state) => {
      const current = state.brokers.find((broker) => broker.id === brokerId);
      return current?.incarnation === incarnation ? assignUnowned(retireBrokers(state, new Set([brokerId]))) : state;
    });
    if (this.state.version > version) await this.spread(this.state.version, FAREWELL_MS);
    return this.view;
  }

  /**
   * Resolves when every live broker knows the topic, so that nobody who heard of its creation is told by one of them that there
   * is none; a broker that does not answer is waited for `SPREAD_MS` at most. Throws a KafkaRefusal. With `validateOnly`
   * nothing is created.
   */
  async createTopic(wish: TopicWish, validateOnly: boolean): Promise<{ readonly view: ClusterView }> {
    const topicId = freshId();
    if (validateOnly) {
      topicFor(this.state, wish, topicId);
      return { view: this.view };
    }
    await this.change(`topic ${wish.name} created`, (state) => {
      if (state.topics.some((topic) => topic.topicId === topicId)) return state;
      return assignUnowned(addTopic(state, topicFor(state, wish, topicId)));
    });
    await this.spread(this.state.version, SPREAD_MS);
    return { view: this.view };
  }

  /** Throws a KafkaRefusal. */
  async deleteTopic(name: string): Promise<{ readonly view: ClusterView }> {
    checkDeletable(this.state, name);
    const topicId = this.state.topics.find((topic) => topic.name === name)?.topicId;
    await this.change(`topic ${name} deleted`, (state) =>
      state.topics.some((topic) => topic.topicId === topicId) ? removeTopic(state, name) : state,
    );
    return { view: this.view };
  }

  async producerIds(): Promise<{ readonly first: number; readonly count: number }> {
    const { after } = await this.change(undefined, (state) => reserveProducerIds(state, PRODUCER_ID_BLOCK));
    return { first: after.nextProducerId - PRODUCER_ID_BLOCK, count: PRODUCER_ID_BLOCK };
  }

  async raiseEpoch(topicId: string, partition: number, above: number): Promise<ClusterView> {
    await this.change(`epoch of ${topicId}/${partition} raised above ${above}`, (state) =>
      raiseEpoch(state, topicId, partition, above),
    );
    return this.view;
  }

  private async change(
    what: string | undefined,
    mutate: (state: ControllerState) => ControllerState,
  ): Promise<{ readonly after: ControllerState }> {
    const change = await this.options.states.change(mutate, STORE_DEADLINE_MS);
    if (change.after.version > this.state.version) {
      const moves = movesBetween(this.state, change.after);
      this.state = change.after;
      if (what !== undefined) this.options.log.info(what);
      for (const move of moves) this.options.log.info(move);
      this.wake();
    }
    return change;
  }

  /** Waits until every live broker has a view at least as new as `version`, or `mostMs` have passed. */
  private async spread(version: number, mostMs: number): Promise<void> {
    const { clock } = this.options;
    const until = clock.now() + mostMs;
    const isBehind = ({ id, live }: ControllerState['brokers'][number]): boolean =>
      live && (this.known.get(id) ?? 0) < version;
    while (this.state.brokers.some(isBehind) && clock.now() < until) await clock.sleep(SPREAD_POLL_MS);
  }

  /** While a cluster is starting, partitions wait a moment, so that the first broker up does not get them all. */
  private isGathering(state: ControllerState): boolean {
    const live = state.brokers.filter((broker) => broker.live).length;
    const wanted = Math.max(this.options.expectedBrokers, state.brokers.length);
    if (live >= wanted || !hasUnowned(state)) {
      this.gatherUntil = undefined;
      return false;
    }
    const now = this.options.clock.now();
    this.gatherUntil ??= now + this.options.gatherMs;
    return now < this.gatherUntil;
  }

  /** Resolves when the state has changed, or after `heartbeatMs`. */
  private async news(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, this.options.heartbeatMs);
      this.waiting.add(done);
    });
  }

  private wake(): void {
    for (const done of [...this.waiting]) done();
  }

  private async watch(): Promise<void> {
    const { clock, log, sessionTimeoutMs } = this.options;
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await clock.sleep(Math.min(50, sessionTimeoutMs / 4));
      await this.look().catch((thrown: unknown) => log.error(`watching sessions: ${describeError(thrown)}`));
    }
  }

  private async look(): Promise<void> {
    const live = this.state.brokers.filter((broker) => broker.live).map((broker) => broker.id);
    const lapsed = new Set(this.sessions.lapsed(live));
    if (lapsed.size > 0) {
      const names = [...lapsed].join(', ');
      await this.change(`session of broker ${names} lapsed`, (state) => assignUnowned(retireBrokers(state, lapsed)));
    } else if (!hasUnowned(this.state)) {
      this.gatherUntil = undefined;
    } else if (live.length > 0 && !this.isGathering(this.state)) {
      await this.change('partitions without an owner assigned', assignUnowned);
    }
  }
}
