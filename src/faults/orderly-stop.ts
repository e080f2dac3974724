// Stopping one node in order, and watching that it is one: its partitions have moved before its process ends, it ends by itself
// and in time.
import { systemClock } from '../clock.ts';
import type { Begun, EvidenceSample } from './fault.ts';
import { sawHandover } from './handover-watch.ts';
import { ledBy } from './leadership.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';
import type { Scene } from './process-fault.ts';

/** Exit codes of a process that ended on SIGTERM by itself. */
const ORDERLY = [0, 143];

/** How one node's stop went. */
export interface Stop {
  exitCode: number | undefined;
  tookMs: number;
  /**
   * Whether nothing was seen to be left to move while the process was still there. False as well where nobody was heard in that
   * time; undefined where it led nothing.
   */
  movedBefore: boolean | undefined;
}

/**
 * Stops one node and tells how. A broker alone in its cluster has nobody to hand its partitions to. `begun` is called as it is
 * asked to stop: its partitions move from then on, long before it has ended.
 */
export const stopNode = async (
  scene: Scene,
  node: string,
  graceMs: number,
  signal: AbortSignal,
  begun: Begun,
): Promise<Stop> => {
  const { target } = scene.context;
  const broker = target.brokers.find((each) => each.node === node);
  const before = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const stop: Stop = { exitCode: undefined, tookMs: 0, movedBefore: undefined };
  const stopping = async (): Promise<boolean> => {
    const started = systemClock.now();
    begun(`told ${node} to stop`);
    stop.exitCode = (await scene.processes.terminate(node, graceMs, signal)).exitCode;
    stop.tookMs = systemClock.now() - started;
    return stop.exitCode !== undefined;
  };
  if (broker === undefined || target.brokers.length === 1 || ledBy(before, [broker.id]) === 0) await stopping();
  else stop.movedBefore = await sawHandover(scene, broker, before, stopping, signal);
  return stop;
};

/** What a stop shows, all of it for good once it is over. */
export const sampleStop = (node: string, stop: Stop | undefined): readonly EvidenceSample[] => {
  if (stop === undefined) return [{ kind: 'mechanism', holds: false, seen: `${node} is still stopping` }];
  const isOrderly = stop.exitCode !== undefined && ORDERLY.includes(stop.exitCode);
  const exit = stop.exitCode === undefined ? 'did not end in time' : `ended with ${stop.exitCode}`;
  const mechanism: EvidenceSample = {
    kind: 'mechanism',
    holds: isOrderly,
    isFinal: true,
    seen: `${node} ${exit} after ${Math.round(stop.tookMs)} ms`,
  };
  if (stop.movedBefore === undefined) return [mechanism];
  const seen = stop.movedBefore ? 'had moved before' : 'were not seen to move before';
  return [
    mechanism,
    { kind: 'effect', holds: stop.movedBefore, isFinal: true, seen: `the leaders of ${node} ${seen} it ended` },
  ];
};
