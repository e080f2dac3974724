// Whether the cluster takes connections at all. One that refuses them at every address is waited for once; each later step then
// hardly waits, so that a cluster which died in the middle of a run costs one wait and not one for each step.
import type { Clock } from '../clock.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { Address } from '../vocabulary.ts';
import { connectSocket } from '../wire/connect-socket.ts';
import { WireError } from '../wire/wire-error.ts';

/** How long a cluster that refuses every connection is waited for, ms. */
const AWAY_MS = 10_000;
const POLL_MS = 200;
/** For one address to answer; one that is silent for longer is no refusal. */
const LOOK_MS = 1000;
/** What a step may still wait for where the cluster is away: it says so by itself then. */
const AWAY_STEP_MS = 1000;

export interface ReachOptions {
  readonly clock: Clock;
  readonly addresses: readonly Address[];
  readonly signal: AbortSignal;
  /** Told once for each time that it is found to be away, ms waited. */
  readonly onAway: (waitedMs: number) => void;
  /** Whether one address refuses a connection; by default it is asked. */
  readonly refuses?: (address: Address) => Promise<boolean>;
}

/** Only a refusal counts: an address that does not answer in time may belong to a machine that is busy. */
const refusesConnections = async (address: Address): Promise<boolean> => {
  try {
    const socket = await connectSocket(address, LOOK_MS);
    socket.destroy();
    return false;
  } catch (thrown) {
    return thrown instanceof WireError && thrown.cause !== undefined;
  }
};

/** Every address at which a broker of the target may be reached. */
export const addressesOf = (
  target: Pick<StartedTarget, 'bootstrap' | 'evidenceBootstrap' | 'brokers'>,
): readonly Address[] => {
  const all = [
    ...target.bootstrap,
    ...target.evidenceBootstrap,
    ...target.brokers.flatMap(({ advertised, direct }) => [advertised, direct]),
  ];
  return [...new Map(all.map((address) => [`${address.host}:${address.port}`, address])).values()];
};

export class ClusterReach {
  readonly #options: ReachOptions;
  #isAway = false;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /** Looks now. The first time that every address refuses, it waits whether one comes back; later it does not. */
  async isThere(): Promise<boolean> {
    const { clock, signal, onAway } = this.#options;
    const from = clock.now();
    const until = this.#isAway ? from : from + AWAY_MS;
    while (await this.#refusesAll()) {
      if (clock.now() >= until || signal.aborted) {
        if (!this.#isAway && !signal.aborted) {
          this.#isAway = true;
          onAway(Math.round(clock.now() - from));
        }
        return false;
      }
      await clock.sleep(POLL_MS, signal).catch(() => undefined);
    }
    this.#isAway = false;
    return true;
  }

  /** How long a step that would wait `wantedMs` for the cluster may do so, ms. */
  async patienceMs(wantedMs: number): Promise<number> {
    return (await this.isThere()) ? wantedMs : Math.min(wantedMs, AWAY_STEP_MS);
  }

  async #refusesAll(): Promise<boolean> {
    const { addresses, refuses = refusesConnections } = this.#options;
    return (await Promise.all(addresses.map(refuses))).every(Boolean);
  }
}
