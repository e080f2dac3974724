// The write-ahead log is away.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

export const walOutage = {
  kind: 'wal-outage',
  summary: 'Cuts brokers off from the write-ahead log path of the object store while the data path stays well.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params: { mode: z.enum(['refuse', 'blackhole', 'reset']).prefault('refuse') },
} satisfies FaultDeclaration;
