// Every broker in turn.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const rollingRestart = {
  kind: 'rolling-restart',
  summary: 'Stops and starts every broker, one after the other, each healthy before the next.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['all'],
  defaultVictim: { kind: 'all' },
  duration: 'none',
  params: {
    order: z.enum(['ascending', 'random']).prefault('ascending'),
    interval: durationField().prefault('500ms'),
    grace: durationField({ min: '100ms' }).prefault('10s'),
    waitHealthy: durationField({ min: '1s' }).prefault('20s'),
  },
} satisfies FaultDeclaration;
