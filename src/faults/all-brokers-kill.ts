// All brokers down together.
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const allBrokersKill = {
  kind: 'all-brokers-kill',
  summary: 'Kills every broker at once, like a power cut, and starts them all again after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['all'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  needsAllow: ['full-outage'],
  params: { stagger: durationField({ max: '10s' }).prefault('0ms') },
} satisfies FaultDeclaration;
