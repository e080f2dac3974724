// Stopping one node in order, and watching that it is one: its partitions have moved before its process ends, it ends by itself
// and in time.
import { systemClock } from '../clock.ts';
import type { BrokerNode } from '../targets/target.ts';
import type { EvidenceSample } from './fault.ts';
import { askable, ledBy, notMoved } from './leadership.ts';
import { askAnyMetadata, type ClusterView } from './probes/cluster-metadata.ts';
import type { Scene } from './process-fault.ts';

const WATCH_INTERVAL_MS = 15;
/** Far below any session timeout. */
const AT_ONCE_MS = 100;
/** Exit codes of a process that ended on SIGTERM by itself. */
const ORDERLY = [0, 143];

/** How one node's stop went. */
export interface Stop {
  exitCode: number | undefined;
  tookMs: number;
  /** Whether nothing was left to move while the process was still there; undefined where it led nothing. */
  movedBefore: boolean | undefined;
}

/** Watches the others' metadata until the broker's process is gone; whether it led nothing any more by then. */
const watchMoves = async (
  scene: Scene,
  broker: BrokerNode,
  before: ClusterView,
  signal: AbortSignal,
): Promise<boolean | undefined> => {
  const { target } = scene.context;
  if (ledBy(before, [broker.id]) === 0) return undefined;
  const addresses = askable(target, [broker]);
  const runs = (): boolean => scene.processes.state(broker.node) === 'running';
  while (runs()) {
    const now = await askAnyMetadata(addresses, signal);
    if (notMoved(before, now, [broker.id]).length === 0) return runs();
    await systemClock.sleep(WATCH_INTERVAL_MS, signal);
  }
  return false;
};

const hasMovedAtOnce = async (
  scene: Scene,
  broker: BrokerNode,
  before: ClusterView,
  signal: AbortSignal,
): Promise<boolean> => {
  const addresses = askable(scene.context.target, [broker]);
  const asked = systemClock.now();
  const now = await askAnyMetadata(addresses, signal).catch(() => undefined);
  const isSoonEnough = systemClock.now() - asked <= AT_ONCE_MS;
  return now !== undefined && isSoonEnough && notMoved(before, now, [broker.id]).length === 0;
};

/** Stops one node and tells how. A broker alone in its cluster has nobody to hand its partitions to. */
export const stopNode = async (scene: Scene, node: string, graceMs: number, signal: AbortSignal): Promise<Stop> => {
  const { target } = scene.context;
  const broker = target.brokers.find((each) => each.node === node);
  const isAlone = target.brokers.length === 1;
  const before = await askAnyMetadata(target.evidenceBootstrap, signal);
  const started = systemClock.now();
  const ended = new AbortController();
  const watching =
    broker === undefined || isAlone
      ? Promise.resolve(undefined)
      : watchMoves(scene, broker, before, AbortSignal.any([signal, ended.signal])).catch(() => false);
  const { exitCode } = await scene.processes.terminate(node, graceMs, signal);
  const tookMs = systemClock.now() - started;
  // A look right after the exit is soon enough too: nobody notices a death that quickly, so it was handed over.
  const seenAtExit = broker === undefined ? false : await hasMovedAtOnce(scene, broker, before, signal);
  ended.abort(new Error('the process has ended'));
  const seenBefore = await watching;
  return { exitCode, tookMs, movedBefore: seenBefore === undefined ? undefined : seenBefore || seenAtExit };
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
