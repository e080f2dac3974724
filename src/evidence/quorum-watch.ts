// The quorum of controllers: who leads it, in which epoch, who has a vote, and who is behind. Controllers are asked themselves
// where they can be, the last known leader first, because without a quorum no broker can answer; brokers where no controller can
// be reached.
import type { ControllerNode } from '../targets/target.ts';
import type { Address } from '../vocabulary.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { ConnectionPool } from '../wire/connection-pool.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { deadlineAfter } from '../wire/deadline.ts';
import type { CallOptions } from '../wire/evidence-calls.ts';
import { describeQuorum, type QuorumMember, type QuorumState } from '../wire/quorum.ts';
import { WireError } from '../wire/wire-error.ts';
import { type ClusterFact, idList, ToldBefore } from './cluster-fact.ts';

/** Whoever did not have everything for so long, by the leader's clock, is behind, ms. */
const BEHIND_MS = 3_000;

export interface QuorumAskerOptions {
  readonly controllers: readonly ControllerNode[];
  /** Asked where no controller is known, or none can be reached. */
  readonly brokers: readonly Address[];
  readonly clientId: string;
  readonly connectTimeoutMs: number;
  readonly security?: ConnectionSecurity | undefined;
}

/** Asks the controllers in turn until one answers for the quorum. */
export class QuorumAsker {
  readonly #controllers: ConnectionPool;
  readonly #brokers: ClusterClient;
  #inTurn: readonly ControllerNode[];

  constructor(options: QuorumAskerOptions) {
    const { clientId, connectTimeoutMs, security } = options;
    this.#controllers = new ConnectionPool({ clientId, connectTimeoutMs, security, maxInFlight: 1 });
    this.#brokers = new ClusterClient({ bootstrap: options.brokers, clientId, connectTimeoutMs, security });
    this.#inTurn = options.controllers;
  }

  async ask({ deadlineMs, signal }: CallOptions): Promise<QuorumState> {
    const whole = deadlineAfter(deadlineMs, signal);
    let last: unknown;
    for (const controller of this.#inTurn) {
      // One that is paused must not use up the time of those that can answer.
      const share = deadlineAfter(deadlineMs / (this.#inTurn.length + 1), signal);
      try {
        const state = await describeQuorum(await this.#controllers.get(controller.direct, share), share);
        this.#leadsFirst(state.leader);
        return state;
      } catch (thrown) {
        signal?.throwIfAborted();
        last = thrown;
      }
    }
    // A controller that answers, and does not lead, knows better than a broker that can only wait for one that does.
    if (last instanceof WireError && last.kafkaCode !== undefined) throw last;
    return await describeQuorum(await this.#brokers.anyConnection(whole), whole);
  }

  close(): void {
    this.#controllers.close();
    this.#brokers.close();
  }

  #leadsFirst(leader: number): void {
    if (this.#inTurn[0]?.id === leader) return;
    const leads = ({ id }: ControllerNode): number => (id === leader ? 0 : 1);
    this.#inTurn = [...this.#inTurn].sort((one, other) => leads(one) - leads(other));
  }
}

/** Ids of the members that are behind the leader. */
const behind = ({ leader, voters }: QuorumState, members: readonly QuorumMember[]): readonly number[] => {
  const now = voters.find(({ id }) => id === leader)?.caughtUpAtMs ?? -1;
  const isBehind = ({ id, caughtUpAtMs }: QuorumMember): boolean => id !== leader && now - caughtUpAtMs > BEHIND_MS;
  return now < 0
    ? []
    : members
        .filter(isBehind)
        .map(({ id }) => id)
        .sort((one, other) => one - other);
};

/** Tells leader, epoch, voters and who is behind, when any of it changes. */
export class QuorumNews {
  readonly #told = new ToldBefore();

  news(state: QuorumState): readonly ClusterFact[] {
    const { leader, epoch, highWatermark } = state;
    const voters = state.voters.map(({ id }) => id).sort((one, other) => one - other);
    const facts = { leader, epoch, voters, votersBehind: behind(state, state.voters) };
    const all = { ...facts, observersBehind: behind(state, state.observers) };
    if (!this.#told.isNews('quorum', all)) return [];
    const end = state.voters.find(({ id }) => id === leader)?.endOffset ?? -1;
    const lag = Object.fromEntries(
      [...state.voters, ...state.observers]
        .filter(({ id }) => id !== leader && end >= 0)
        .map(({ id, endOffset }) => [id, Math.max(0, end - endOffset)]),
    );
    const text =
      `led by ${leader} in epoch ${epoch}, high watermark ${highWatermark}; voters ${idList(voters)}, ` +
      `behind: ${idList(all.votersBehind)}; brokers behind: ${idList(all.observersBehind)}`;
    return [{ source: 'quorum', text, data: { ...all, highWatermark, lag } }];
  }
}
