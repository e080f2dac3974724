// A slow object store.
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const objectStoreLatency = {
  kind: 'object-store-latency',
  summary: 'Delays the answers of the object store on its data path.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params: {
    latency: durationField({ min: '1ms', max: '60s' }),
    jitter: durationField({ max: '60s' }).prefault('0ms'),
  },
} satisfies FaultDeclaration;
