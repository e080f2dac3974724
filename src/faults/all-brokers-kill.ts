// All brokers die together, as in a power cut: what survives has survived outside their memory. Needs its permission, because
// nothing serves until the duration is over.
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import type { Begun, EvidenceSample, FaultDefinition } from './fault.ts';
import type { Scene } from './process-fault.ts';
import { durationField } from './unit-fields.ts';
import type { Victims } from './victim.ts';

const params = {
  stagger: durationField({ max: '10s' }).prefault('0ms'),
  /** The process that serves the write-ahead log, too: what was not synced is lost. */
  volume: z.boolean().prefault(false),
};

/** Within this of each other, beyond the stagger that was asked for, deaths count as one moment. */
const TOGETHER_MS = 1000;

const killAll = async (scene: Scene, staggerMs: number, signal: AbortSignal, begun: Begun): Promise<number> => {
  const started = systemClock.now();
  if (staggerMs === 0) {
    await Promise.all(scene.victims.nodes.map(async (node) => await scene.processes.kill(node, signal)));
    return systemClock.now() - started;
  }
  for (const [index, node] of scene.victims.nodes.entries()) {
    if (index > 0) await systemClock.sleep(staggerMs, signal);
    await scene.processes.kill(node, signal);
    begun(`killed ${node}`);
  }
  return systemClock.now() - started;
};

/** The volume last, so that it is started first: what is undone goes backwards. */
const withVolume = (brokers: Victims, volume: Victims): Victims => ({
  nodes: [...brokers.nodes, ...volume.nodes],
  brokers: brokers.brokers,
  chosen: `${brokers.chosen}, and the volume process`,
});

export const allBrokersKill = {
  kind: 'all-brokers-kill',
  summary:
    'Kills every broker at once, and the volume process too where asked for, like a power cut, and starts them all again after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  /** Where there is none there is no volume either. */
  paths: ({ volume }) => (volume ? ['wal'] : []),
  backends: ['process'],
  victims: ['all'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  needsAllow: ['full-outage'],
  params,
  prepare: async (context, selector, { stagger: staggerMs, volume }, signal) => {
    const { DEAD, openScene, prepareProcessFault, sampleGone, sampleNodes, startAgain } = await import(
      './process-fault.ts'
    );
    const { resolveVictims } = await import('./victim.ts');
    const brokers = await resolveVictims(context, selector, signal);
    const victims = volume ? withVolume(brokers, await resolveVictims(context, { kind: 'volume' }, signal)) : brokers;
    const scene = await openScene('all-brokers-kill', context, victims, signal);
    const allowedMs = TOGETHER_MS + staggerMs * (victims.nodes.length - 1);
    let tookMs: number | undefined;
    const together = (): EvidenceSample => ({
      kind: 'mechanism',
      holds: tookMs !== undefined && tookMs <= allowedMs,
      seen: tookMs === undefined ? 'not all are killed yet' : `all killed within ${Math.round(tookMs)} ms`,
    });
    return prepareProcessFault({
      fault: 'all-brokers-kill',
      scene,
      undo: startAgain(scene),
      apply: async (own, begun) => {
        tookMs = await killAll(scene, staggerMs, own, begun);
        return { answer: `killed ${victims.nodes.length} processes within ${Math.round(tookMs)} ms` };
      },
      mechanism: async () => [...(await sampleGone(scene)), together()],
      effect: async (own) => await sampleNodes(scene, DEAD, own),
    });
  },
} satisfies FaultDefinition<typeof params>;
