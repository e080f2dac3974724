// The load of a part in a thread of its own, so that whatever it costs delays no fault and no look at the cluster. It writes the
// ledger itself: an intent is in the file before its bytes leave, as in any thread.
import { parentPort, workerData } from 'node:worker_threads';
import { clientNamed } from '../clients/registry.ts';
import { sealSecurity } from '../clients/security-handover.ts';
import { sharedNow, systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { createLedger } from '../ledger/ledger-writer.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import { runOrder } from '../ledger/run-order.ts';
import type { LoadWatch } from './load-tally.ts';
import { type BatchEdge, type FromLoad, type LoadOrder, type ThreadLane, tellError } from './load-thread.ts';
import { type LanePlan, runLanes } from './workload.ts';

/** Tells of batches in groups: all that happened in one turn of this thread's event loop. */
class ToldWatch implements LoadWatch {
  readonly #tell: (message: FromLoad) => void;
  #events: BatchEdge[] = [];
  #batches = 0;

  constructor(tell: (message: FromLoad) => void) {
    this.#tell = tell;
  }

  begin(batch: Parameters<LoadWatch['begin']>[0]): ReturnType<LoadWatch['begin']> {
    const number = this.#batches++;
    this.#note({ t: 'begin', batch: number, ...batch });
    return (outcome, at) => this.#note({ t: 'end', batch: number, outcome, at });
  }

  flush(): void {
    if (this.#events.length === 0) return;
    this.#tell({ t: 'events', events: this.#events });
    this.#events = [];
  }

  #note(event: BatchEdge): void {
    if (this.#events.push(event) === 1) setImmediate(() => this.flush());
  }
}

const withClient = ({ client: kind, ...lane }: ThreadLane): LanePlan => {
  const client = clientNamed(kind);
  if (client === undefined) throw new InternalError('NO_CLIENT', `There is no client ${kind}.`);
  return { ...lane, client };
};

const work = async (order: LoadOrder, watch: LoadWatch, stopping: AbortSignal, tell: (message: FromLoad) => void) => {
  const { ledger: place, originNs, security, lanes, sizeBytes, probeBytes, ...rest } = order;
  const { directory, run, contract } = place;
  const origin = systemClock.now() - Number(sharedNow() - originNs) / 1e6;
  const ledger = createLedger(directory, { run, clock: systemClock, order: runOrder(place.order), contract });
  tell({ t: 'started' });
  try {
    await runLanes(
      {
        ...rest,
        ...(security === undefined ? {} : { security: sealSecurity(security) }),
        lanes: lanes.map(withClient),
        ledger,
        clock: systemClock,
        at: () => systemClock.now() - origin,
        encoderOf: ({ producer, partition, probe }, incarnation) => {
          const size = probe === true ? probeBytes : sizeBytes;
          return new RecordEncoder({ run, producer, incarnation, partition, sizeBytes: size });
        },
        onClientAnomaly: (detail) => tell({ t: 'client-anomaly', detail }),
      },
      watch,
      stopping,
    );
  } finally {
    await ledger.close();
  }
};

const main = async (): Promise<void> => {
  const port = parentPort;
  if (port === null) throw new InternalError('NOT_A_THREAD', 'This program is a thread of a run.');
  const tell = (message: FromLoad): void => port.postMessage(message);
  const watch = new ToldWatch(tell);
  const stopping = new AbortController();
  port.on('message', () => stopping.abort()); // there is nothing else that is said
  try {
    await work(workerData as LoadOrder, watch, stopping.signal, tell);
    watch.flush();
    tell({ t: 'finished' });
  } catch (thrown) {
    watch.flush();
    tell({ t: 'failed', error: tellError(thrown) });
  } finally {
    port.close();
  }
};

await main();
