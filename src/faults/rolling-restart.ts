// Every broker in turn, stopped in order and started again, each healthy before the next. It ends by itself; its evidence is
// gathered on the way and holds as a whole only when the last broker is back.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { durationField } from './unit-fields.ts';

const params = {
  order: z.enum(['ascending', 'random']).prefault('ascending'),
  interval: durationField({ max: '10m' }).prefault('500ms'),
  grace: durationField({ min: '100ms', max: '5m' }).prefault('10s'),
  waitHealthy: durationField({ min: '1s', max: '10m' }).prefault('20s'),
};

/** How long a broker may take to start. */
const START_MS = 10_000;

export const rollingRestart = {
  kind: 'rolling-restart',
  summary: 'Stops and starts every broker, one after the other, each healthy before the next.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['all'],
  defaultVictim: { kind: 'all' },
  duration: 'none',
  params,
  prepare: async (context, selector, given, signal) => {
    const { openScene, prepareProcessFault, startAgain } = await import('./process-fault.ts');
    const { Roll } = await import('./roll.ts');
    const { resolveVictims } = await import('./victim.ts');
    const victims = await resolveVictims(context, selector, signal);
    const scene = await openScene('rolling-restart', context, victims, signal, { bringsControls: true });
    const order = given.order === 'random' ? context.random.shuffle(victims.nodes) : victims.nodes;
    const roll = new Roll(scene, order);
    return prepareProcessFault({
      fault: 'rolling-restart',
      scene: { ...scene, victims: { ...victims, chosen: `every broker, in the order ${order.join(', ')}` } },
      undo: startAgain(scene),
      longestMs: order.length * (given.grace + START_MS + given.waitHealthy + given.interval),
      apply: async (own, begun) => {
        await roll.run(given, own, begun);
        return { answer: `restarted ${order.join(', ')}` };
      },
      mechanism: async () => await roll.mechanism(),
      effect: async () => await Promise.resolve(roll.effect()),
      control: async () => await roll.control(),
    });
  },
} satisfies FaultDefinition<typeof params>;
