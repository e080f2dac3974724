// The positive control: data is really gone.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

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
  params: { count: z.int().min(1).max(1000).prefault(1) },
} satisfies FaultDeclaration;
