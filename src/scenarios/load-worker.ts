// Starts the load of a part in a thread of its own and hears what it tells. What is known of it here is as old as a message
// takes: an acknowledgement looks older than it is, never younger.
import { Worker } from 'node:worker_threads';
import { sharedNow } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { programFile } from '../targets/program-files.ts';
import type { Outcome } from '../vocabulary.ts';
import { LoadTally, type RunningWorkload, runningWorkload } from './load-tally.ts';
import { type BatchEdge, type FromLoad, type LoadOrder, type ToLoad, toldError } from './load-thread.ts';

/** Of whom the load is, and what is to be heard of it. */
export interface LoadOwner {
  /** Milliseconds since the start of the part. */
  at(): number;
  onClientAnomaly(detail: string): void;
  /** Nobody sent anything for `ms` before `at`, and that is not the cluster's doing. */
  onStandstill(ms: number, at: number): void;
}

const STOP: ToLoad = { t: 'stop' };

/** Passes on to a tally what the thread tells of its batches. */
class EventReader {
  readonly #tally: LoadTally;
  readonly #onTheirWay = new Map<number, (outcome: Outcome, at: number) => void>();

  constructor(tally: LoadTally) {
    this.#tally = tally;
  }

  take(events: readonly BatchEdge[]): void {
    for (const event of events) {
      if (event.t === 'begin') this.#onTheirWay.set(event.batch, this.#tally.begin(event));
      else {
        this.#onTheirWay.get(event.batch)?.(event.outcome, event.at);
        this.#onTheirWay.delete(event.batch);
      }
    }
  }
}

interface Awaited {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(thrown: unknown): void;
}

/** A promise and what settles it; nobody needs to listen. */
const awaited = (): Awaited => {
  let settle: Omit<Awaited, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, resolve: () => settle?.resolve(), reject: (thrown) => settle?.reject(thrown) };
};

/**
 * Starts every lane in a thread that also writes and closes the ledger. `finished` rejects with the error of a lane or of the
 * ledger, and with InternalError where the thread ends without a word.
 */
export const startLoadWorker = (order: Omit<LoadOrder, 'originNs'>, owner: LoadOwner): RunningWorkload => {
  const tally = new LoadTally(() => owner.at());
  const reader = new EventReader(tally);
  const originNs = sharedNow() - BigInt(Math.round(owner.at() * 1e6));
  const workerData: LoadOrder = { ...order, originNs };
  const worker = new Worker(programFile('scenarios/load-program'), { workerData });
  const started = awaited();
  const finished = awaited();
  const fail = (thrown: unknown): void => {
    started.reject(thrown);
    finished.reject(thrown);
  };
  worker.on('message', (message: FromLoad) => {
    if (message.t === 'events') reader.take(message.events);
    else if (message.t === 'client-anomaly') owner.onClientAnomaly(message.detail);
    else if (message.t === 'standstill') owner.onStandstill(message.ms, message.at);
    else if (message.t === 'started') started.resolve();
    else if (message.t === 'finished') finished.resolve();
    else fail(toldError(message.error));
  });
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new InternalError('LOAD_ENDED', `The thread of the load ended with ${code}.`)));
  return runningWorkload(tally, {
    lanes: order.lanes.length,
    started: started.promise,
    finished: finished.promise,
    stop: () => worker.postMessage(STOP),
  });
};
