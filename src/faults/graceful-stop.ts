// An orderly stop, and the restart by us.
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const gracefulStop = {
  kind: 'graceful-stop',
  summary:
    'Stops a process with SIGTERM, so that leaders move before it exits, and starts it again after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params: { grace: durationField({ min: '100ms' }).prefault('10s') },
} satisfies FaultDeclaration;
