// The load of a part in a thread of its own, so that whatever it costs delays no fault and no look at the cluster. It writes the
// ledger itself: an intent is in the file before its bytes leave, as in any thread.
import { parentPort, workerData } from 'node:worker_threads';
import { clientNamed } from '../clients/registry.ts';
import { sealSecurity } from '../clients/security-handover.ts';
import { sharedNow, systemClock } from '../clock.ts';
import { AckproofError, InternalError } from '../errors.ts';
import { watchClock } from '../evidence/clock-watch.ts';
import { createLedger, type LedgerWriter } from '../ledger/ledger-writer.ts';
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

/** Who is told of a load, and who ends it. */
interface Reporting {
  readonly watch: LoadWatch;
  readonly stopping: AbortSignal;
  readonly tell: (message: FromLoad) => void;
}

const withClient = ({ client: kind, ...lane }: ThreadLane): LanePlan => {
  const client = clientNamed(kind);
  if (client === undefined) throw new InternalError('NO_CLIENT', `There is no client ${kind}.`);
  return { ...lane, client };
};

/** Runs the lanes with a ledger that is open; a moment counts from `origin`. */
const send = async (
  order: LoadOrder,
  origin: number,
  ledger: LedgerWriter,
  { watch, stopping, tell }: Reporting,
): Promise<void> => {
  const { ledger: place, security, lanes, sizeBytes, probeBytes, ...rest } = order;
  const at = (): number => systemClock.now() - origin;
  const clocks = watchClock({
    onJump: () => undefined, // the run watches the wall clock itself
    onStall: ({ stallMs }) => tell({ t: 'standstill', ms: stallMs, at: at() }),
  });
  tell({ t: 'started' });
  try {
    await runLanes(
      {
        ...rest,
        ...(security === undefined ? {} : { security: sealSecurity(security) }),
        lanes: lanes.map(withClient),
        ledger,
        clock: systemClock,
        at,
        encoderOf: ({ producer, partition, probe }, incarnation) => {
          const size = probe === true ? probeBytes : sizeBytes;
          return new RecordEncoder({ run: place.run, producer, incarnation, partition, sizeBytes: size });
        },
        onClientAnomaly: (detail) => tell({ t: 'client-anomaly', detail }),
      },
      watch,
      stopping,
    );
  } finally {
    await clocks[Symbol.asyncDispose]();
  }
};

/** The whole load. What goes wrong with the lanes comes before what goes wrong with closing their ledger. */
const work = async (order: LoadOrder, reporting: Reporting): Promise<void> => {
  const { directory, run, contract, order: memory } = order.ledger;
  const origin = systemClock.now() - Number(sharedNow() - order.originNs) / 1e6;
  const ledger = createLedger(directory, { run, clock: systemClock, order: runOrder(memory), contract });
  try {
    await send(order, origin, ledger, reporting);
  } catch (thrown) {
    await ledger.close().catch((second: unknown) => {
      if (thrown instanceof AckproofError) thrown.attached.push(second);
    });
    throw thrown;
  }
  await ledger.close();
};

const main = async (): Promise<void> => {
  const port = parentPort;
  if (port === null) throw new InternalError('NOT_A_THREAD', 'This program is a thread of a run.');
  const tell = (message: FromLoad): void => port.postMessage(message);
  const watch = new ToldWatch(tell);
  const stopping = new AbortController();
  port.on('message', () => stopping.abort()); // there is nothing else that is said
  try {
    await work(workerData as LoadOrder, { watch, stopping: stopping.signal, tell });
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
