// SIGSTOP and SIGCONT.
import type { FaultDeclaration } from './fault.ts';

export const processPause = {
  kind: 'process-pause',
  summary:
    'Freezes a process with SIGSTOP, like a long garbage collection, and wakes it with SIGCONT after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'controller', 'object-store'],
  duration: 'required',
  params: {},
} satisfies FaultDeclaration;
