// Stopping one node in order, and watching that it is one: its partitions have moved before its process ends, it ends by itself
// and in time.
import { systemClock } from '../clock.ts';
import type { Address, BrokerNode } from '../targets/target.ts';
import type { EvidenceSample } from './fault.ts';
import { askable, ledBy, notMoved } from './leadership.ts';
import { askAnyMetadata, askMetadataOn, type ClusterView } from './probes/cluster-metadata.ts';
import { KafkaCanaryConnection } from './probes/kafka-connection.ts';
import type { Scene } from './process-fault.ts';

const WATCH_INTERVAL_MS = 15;
/** Far below any session timeout. */
const AT_ONCE_MS = 100;
const OPEN_MS = 2000;
/** How long after its exit the end of a broker's connection is waited for. */
const LAST_WORD_MS = 1000;
/** Exit codes of a process that ended on SIGTERM by itself. */
const ORDERLY = [0, 143];

/** How one node's stop went. */
export interface Stop {
  exitCode: number | undefined;
  tookMs: number;
  /** Whether nothing was left to move while the process was still there; undefined where it led nothing. */
  movedBefore: boolean | undefined;
}

/** What to ask of somebody, again and again, while a broker stops: does its view say that nothing is left to move? */
type IsOver = (now: ClusterView) => boolean;

/** Watches the others' metadata until the broker's process is gone; whether it led nothing any more by then. */
const watchOthers = async (
  addresses: readonly Address[],
  runs: () => boolean,
  isOver: IsOver,
  signal: AbortSignal,
): Promise<boolean> => {
  while (runs()) {
    if (isOver(await askAnyMetadata(addresses, signal))) return runs();
    await systemClock.sleep(WATCH_INTERVAL_MS, signal);
  }
  return false;
};

/** A look right after the exit is soon enough too: nobody notices a death that quickly, so it was handed over. */
const lookAtOnce = async (addresses: readonly Address[], isOver: IsOver, signal: AbortSignal): Promise<boolean> => {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(AT_ONCE_MS)]);
  const now = await askAnyMetadata(addresses, soon).catch(() => undefined);
  return now !== undefined && !soon.aborted && isOver(now);
};

/**
 * The stopping broker's own word, on a connection from before: what it says was so before its end, however late a busy machine
 * hears of it. Ends with the connection.
 */
const watchItself = async (
  connection: KafkaCanaryConnection,
  address: Address,
  isOver: IsOver,
  signal: AbortSignal,
): Promise<boolean> => {
  while (connection.ended === undefined) {
    const now = await askMetadataOn(connection, address, signal).catch(() => undefined);
    if (now !== undefined && isOver(now)) return true;
    await systemClock.sleep(WATCH_INTERVAL_MS, signal);
  }
  return false;
};

/** Whether the broker handed over everything it led while `stopping` went on; false where that says it did not end. */
const sawHandover = async (
  scene: Scene,
  broker: BrokerNode,
  before: ClusterView,
  stopping: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> => {
  const ended = new AbortController();
  const own = AbortSignal.any([signal, ended.signal]);
  const others = askable(scene.context.target, [broker]);
  const isOver: IsOver = (now) => notMoved(before, now, [broker.id]).length === 0;
  const runs = (): boolean => scene.processes.state(broker.node) === 'running';
  const connection = await KafkaCanaryConnection.open(broker.direct, OPEN_MS, signal);
  try {
    const said = watchItself(connection, broker.direct, isOver, own).catch(() => false);
    const watched = watchOthers(others, runs, isOver, own).catch(() => false);
    if (!(await stopping())) return false;
    const seen = await lookAtOnce(others, isOver, signal);
    // The connection ends with the process, so what was said last is in by then.
    const silence = systemClock.sleep(LAST_WORD_MS, own).then(
      () => false,
      () => false,
    );
    const saidInTime = seen || (await Promise.race([said, silence]));
    ended.abort(new Error('the process has ended'));
    return saidInTime || (await watched);
  } finally {
    ended.abort(new Error('nobody waits any more'));
    connection.close();
  }
};

/** Stops one node and tells how. A broker alone in its cluster has nobody to hand its partitions to. */
export const stopNode = async (scene: Scene, node: string, graceMs: number, signal: AbortSignal): Promise<Stop> => {
  const { target } = scene.context;
  const broker = target.brokers.find((each) => each.node === node);
  const before = await askAnyMetadata(target.evidenceBootstrap, signal);
  const stop: Stop = { exitCode: undefined, tookMs: 0, movedBefore: undefined };
  const stopping = async (): Promise<boolean> => {
    const started = systemClock.now();
    stop.exitCode = (await scene.processes.terminate(node, graceMs, signal)).exitCode;
    stop.tookMs = systemClock.now() - started;
    return stop.exitCode !== undefined;
  };
  if (broker === undefined || target.brokers.length === 1 || ledBy(before, [broker.id]) === 0) await stopping();
  else stop.movedBefore = await sawHandover(scene, broker, before, stopping, signal);
  return stop;
};

export const sampleStop = (node: string, stop: Stop | undefined): readonly EvidenceSample[] => {
  if (stop === undefined) return [{ kind: 'mechanism', holds: false, seen: `${node} is still stopping` }];
  const isOrderly = stop.exitCode !== undefined && ORDERLY.includes(stop.exitCode);
  const exit = stop.exitCode === undefined ? 'did not end in time' : `ended with ${stop.exitCode}`;
  const mechanism: EvidenceSample = {
    kind: 'mechanism',
    holds: isOrderly,
    seen: `${node} ${exit} after ${Math.round(stop.tookMs)} ms`,
  };
  if (stop.movedBefore === undefined) return [mechanism];
  const seen = stop.movedBefore ? 'had moved before' : 'had not moved before';
  return [mechanism, { kind: 'effect', holds: stop.movedBefore, seen: `the leaders of ${node} ${seen} it ended` }];
};
