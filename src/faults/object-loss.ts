// The positive control: data objects with acknowledged records are deleted for good, behind everybody's back. A run with it must
// come out as fail; one that passes has a checker that cannot see. There is no way back, so nothing is healed.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';

const params = { count: z.int().min(1).max(1000).prefault(1) };

export const objectLoss = {
  kind: 'object-loss',
  summary:
    'Deletes committed data objects for good; a run with it must come out as fail, which shows that the checker works.',
  recovery: 'one-shot',
  requires: ['objectStore'],
  backends: ['object-store'],
  victims: ['object-store', 'leaderOf'],
  defaultVictim: { kind: 'object-store' },
  duration: 'none',
  needsAllow: ['destroy-state'],
  params,
  prepare: async (context, selector, { count }, signal) => {
    const { prepareDeletion } = await import('./object-deletion.ts');
    return await prepareDeletion(context, selector, count, signal);
  },
} satisfies FaultDefinition<typeof params>;
