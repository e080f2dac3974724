// kill -9 of a process, and its restart by us.
import type { FaultDeclaration } from './fault.ts';

export const processKill = {
  kind: 'process-kill',
  summary: 'Kills a broker, the controller or the object store with SIGKILL and starts it again after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'controller', 'object-store'],
  duration: 'required',
  params: {},
} satisfies FaultDeclaration;
