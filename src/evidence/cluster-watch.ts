// Everything that is asked of a cluster about itself while a part goes on, beside leadership: who is fenced, who leads the quorum,
// which replicas may be elected, what is on the disks, where the logs end. Each question has a loop and a client of its own, and all
// of them together are a handful of requests a second.
import { type Clock, systemClock } from '../clock.ts';
import type { ControllerNode, StartedTarget } from '../targets/target.ts';
import type { Address, BrokerId } from '../vocabulary.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import type { BrokerAddress } from '../wire/cluster-metadata.ts';
import type { CallOptions } from '../wire/evidence-calls.ts';
import { describeLogDirs } from '../wire/log-dirs.ts';
import { describePartitions } from '../wire/partition-evidence.ts';
import { askRegistered, BrokerStanding } from './broker-standing.ts';
import type { ClusterFact } from './cluster-fact.ts';
import { ClusterPoll, type PollCoverage, type PollState } from './cluster-poll.ts';
import { DiskStanding } from './disk-standing.ts';
import { LogEnds } from './log-ends.ts';
import { takeOffsets } from './offset-snapshot.ts';
import { QuorumAsker, QuorumNews } from './quorum-watch.ts';
import { ReplicaStanding } from './replica-standing.ts';

export interface ClusterWatchOptions {
  readonly target: Pick<StartedTarget, 'brokers' | 'controllers' | 'evidenceBootstrap' | 'security'>;
  readonly topic: string;
  readonly partitions: number;
  /** Milliseconds since the start of the part. */
  readonly at: () => number;
  readonly clientId: string;
  readonly onFact: (fact: ClusterFact) => void;
  readonly clock?: Clock;
}

/** What is asked, how often at most, and how long one question may take; ms. */
const FENCED = { everyMs: 500, deadlineMs: 2_000 };
const QUORUM = { everyMs: 1_000, deadlineMs: 3_000 };
const ELR = { everyMs: 1_000, deadlineMs: 2_000 };
const DISKS = { everyMs: 5_000, deadlineMs: 3_000 };
/** Three questions for each partition: never more than two a second. */
const logEnds = (partitions: number) => ({ everyMs: Math.max(5_000, partitions * 1_500), deadlineMs: 5_000 });

const CONNECT_MS = 1_500;

interface Question<T> {
  readonly name: string;
  readonly pace: { readonly everyMs: number; readonly deadlineMs: number };
  readonly ask: (options: Required<CallOptions>) => Promise<T>;
  readonly news: (answer: T) => readonly ClusterFact[];
  /** What is told when the watch ends. */
  readonly end?: () => readonly ClusterFact[];
  readonly close: () => void;
}

interface Watched extends AsyncDisposable {
  readonly name: string;
  readonly coverage: () => PollCoverage;
}

const coverageText = ({ state, asked, answered, everyMs }: PollCoverage): string =>
  `${state === 'answers' || state === 'away' ? '' : `${state}; `}${answered} of ${asked} questions answered, one every ${everyMs} ms`;

/** The questions of one watched cluster, and what they have in common. */
class Watching {
  readonly #options: ClusterWatchOptions;
  readonly #told = new Set<string>();
  readonly #watched: Watched[] = [];

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** A client that goes to the direct listeners, whatever the brokers advertise. */
  client(): ClusterClient {
    const { target, clientId } = this.#options;
    const addressOf = (broker: BrokerAddress): Address =>
      target.brokers.find(({ id }) => id === broker.id)?.direct ?? broker;
    const { evidenceBootstrap: bootstrap, security } = target;
    return new ClusterClient({ bootstrap, clientId, security, addressOf, connectTimeoutMs: CONNECT_MS });
  }

  begin<T>({ name, pace, ask, news, end, close }: Question<T>): void {
    const { clock = systemClock, onFact } = this.#options;
    const poll = new ClusterPoll<T>({
      ...pace,
      clock,
      ask,
      take: (answer) => {
        for (const fact of news(answer)) onFact(fact);
      },
      onState: (state, detail) => this.#tellState(name, state, detail),
    });
    this.#watched.push({
      name,
      coverage: () => poll.coverage,
      [Symbol.asyncDispose]: async () => {
        await poll[Symbol.asyncDispose]();
        close();
        for (const fact of end?.() ?? []) onFact(fact);
      },
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.#watched.map(async (each) => await each[Symbol.asyncDispose]()));
    for (const { name, coverage } of this.#watched) {
      const data = { watch: name, ...coverage() };
      this.#options.onFact({ source: 'coverage', text: `${name}: ${coverageText(data)}`, data });
    }
  }

  /** Of brokers that all lack the same thing, it is told once. */
  #tellState(name: string, state: PollState, detail: string): void {
    const [watch = name] = name.split('/');
    const isForGood = state === 'not-provided' || state === 'not-permitted';
    const isFirstAnswer = state === 'answers' && !this.#told.has(name);
    this.#told.add(name);
    if (isFirstAnswer || (isForGood && this.#told.has(`${watch} ${state}`))) return;
    this.#told.add(`${watch} ${state}`);
    const text = state === 'answers' ? 'is answered again' : `${state.replace('-', ' ')}: ${detail}`;
    this.#options.onFact({ source: isForGood ? watch : name, text, data: { state } });
  }
}

const beginDisks = (watching: Watching, topic: string, partitions: number, broker: BrokerId): void => {
  const client = watching.client();
  const places = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  const standing = new DiskStanding(broker);
  watching.begin({
    name: `log-dirs/${broker}`,
    pace: DISKS,
    ask: async (asked) => await describeLogDirs(client, broker, places, asked),
    news: (answer) => standing.news(answer),
    end: () => standing.end(),
    close: () => client.close(),
  });
};

const beginQuorum = (watching: Watching, options: ClusterWatchOptions): void => {
  const { target, clientId } = options;
  const controllers: readonly ControllerNode[] = target.controllers ?? [];
  const { evidenceBootstrap: brokers, security } = target;
  const asker = new QuorumAsker({ controllers, brokers, clientId, connectTimeoutMs: CONNECT_MS, security });
  const quorum = new QuorumNews();
  watching.begin({
    name: 'quorum',
    pace: QUORUM,
    ask: async (asked) => await asker.ask(asked),
    news: (state) => quorum.news(state),
    close: () => asker.close(),
  });
};

const beginReplicas = (watching: Watching, { topic, partitions, at }: ClusterWatchOptions): void => {
  const client = watching.client();
  const replicas = new ReplicaStanding();
  watching.begin({
    name: 'elr',
    pace: ELR,
    ask: async (asked) => await describePartitions(client, topic, asked),
    news: (rows) => replicas.news(rows),
    close: () => client.close(),
  });
  const leaders = watching.client();
  const ends = new LogEnds();
  watching.begin({
    name: 'log-ends',
    pace: logEnds(partitions),
    ask: async (asked) => await takeOffsets(leaders, { ...asked, topic, at }),
    news: (snapshot) => ends.news(snapshot),
    close: () => leaders.close(),
  });
};

/** Starts watching; disposing it stops every loop, and tells how often each was answered. */
export const watchCluster = (options: ClusterWatchOptions): AsyncDisposable => {
  const { target, topic, partitions } = options;
  const watching = new Watching(options);
  const client = watching.client();
  const standing = new BrokerStanding(target.brokers.map(({ id }) => id));
  watching.begin({
    name: 'fenced',
    pace: FENCED,
    ask: async (asked) => await askRegistered(client, asked),
    news: (brokers) => standing.news(brokers),
    close: () => client.close(),
  });
  beginQuorum(watching, options);
  beginReplicas(watching, options);
  for (const { id } of target.brokers) beginDisks(watching, topic, partitions, id);
  return {
    [Symbol.asyncDispose]: async () => {
      await watching.end();
    },
  };
};
