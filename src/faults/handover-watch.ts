// Watches whether a broker that stops hands over what it leads before it ends. Two kinds of witness, each on a connection that it
// has from before, so that a busy machine needs one turn for an answer and not three: the broker itself, whose word is true
// whenever it is heard, and the others, who count only as long as they cannot have noticed its death by themselves.
import { type Clock, systemClock } from '../clock.ts';
import type { Address, BrokerNode, StartedTarget } from '../targets/target.ts';
import { askable, notMoved } from './leadership.ts';
import { askMetadataOn, type ClusterView } from './probes/cluster-metadata.ts';
import { KafkaCanaryConnection } from './probes/kafka-connection.ts';
import type { Scene } from './process-fault.ts';

const OPEN_MS = 2000;
const INTERVAL_MS = 5;
/** Far below any session timeout: what counts where the target's own is not known. */
const AT_ONCE_MS = 100;
/** How long after its exit the end of a broker's connection is waited for. */
const LAST_WORD_MS = 1000;

interface Witness {
  readonly address: Address;
  readonly connection: KafkaCanaryConnection;
  readonly isVictim: boolean;
}

const openWitnesses = async (
  victim: BrokerNode,
  target: StartedTarget,
  signal: AbortSignal,
): Promise<readonly Witness[]> => {
  const found = await Promise.all(
    [victim.direct, ...askable(target, [victim]).map(({ direct }) => direct)].map(
      async (address, index): Promise<Witness[]> => {
        const connection = await KafkaCanaryConnection.open(address, OPEN_MS, signal, target.security).catch(
          () => undefined,
        );
        return connection === undefined ? [] : [{ address, connection, isVictim: index === 0 }];
      },
    ),
  );
  return found.flat();
};

/** True as soon as one of them is, false once all are not. */
const anyTrue = async (answers: readonly Promise<boolean>[]): Promise<boolean> =>
  await new Promise((resolve) => {
    const each = answers.map(async (answer) => {
      if (await answer.catch(() => false)) resolve(true);
    });
    void Promise.all(each).then(() => resolve(false));
  });

class HandoverWatch {
  readonly #clock: Clock = systemClock;
  readonly #isRunning: () => Promise<boolean>;
  readonly #isOver: (now: ClusterView) => boolean;
  /** So long after it was last seen alive, nobody can have missed the broker yet. */
  readonly #soonMs: number;
  #lastAliveMs: number;

  constructor(scene: Scene, broker: BrokerNode, before: ClusterView) {
    const { sessionMs } = scene.context.target;
    this.#isRunning = async () => (await scene.processes.state(broker.node)) === 'running';
    this.#isOver = (now) => notMoved(before, now, [broker.id]).length === 0;
    this.#soonMs = sessionMs === undefined ? AT_ONCE_MS : sessionMs / 2;
    this.#lastAliveMs = this.#clock.now();
  }

  /** Asks one witness until it says that nothing is left to move, falls silent, or counts no more. */
  async ask({ connection, address, isVictim }: Witness, signal: AbortSignal): Promise<boolean> {
    while (connection.ended === undefined && (isVictim || (await this.#isSoon()))) {
      const now = await askMetadataOn(connection, address, signal).catch(() => undefined);
      const isInTime = (await this.#isSoon()) || isVictim;
      if (now !== undefined && this.#isOver(now)) return isInTime;
      await this.#clock.sleep(INTERVAL_MS, signal);
    }
    return false;
  }

  /** Looks whether the process is there at each call, because the calls are far apart on a busy machine. */
  async #isSoon(): Promise<boolean> {
    const now = this.#clock.now();
    if (await this.#isRunning()) this.#lastAliveMs = now;
    return now - this.#lastAliveMs <= this.#soonMs;
  }
}

/** Whether the broker handed over everything it led while `stopping` went on; false where that says it did not end. */
export const sawHandover = async (
  scene: Scene,
  broker: BrokerNode,
  before: ClusterView,
  stopping: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> => {
  const ended = new AbortController();
  const own = AbortSignal.any([signal, ended.signal]);
  const witnesses = await openWitnesses(broker, scene.context.target, signal);
  try {
    const watch = new HandoverWatch(scene, broker, before);
    const seen = anyTrue(witnesses.map(async (witness) => await watch.ask(witness, own)));
    if (!(await stopping())) return false;
    // The victim's connection ends with its process, so what it said last is in by then.
    const silence = systemClock.sleep(LAST_WORD_MS, own).then(
      () => false,
      () => false,
    );
    return await Promise.race([seen, silence]);
  } finally {
    ended.abort(new Error('nobody waits any more'));
    for (const { connection } of witnesses) connection.close();
  }
};
