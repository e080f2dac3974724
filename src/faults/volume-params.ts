// What faults of the I/O of volumes have in common in a scenario.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

const METHODS = ['read', 'sync', 'write'] as const;

/** Which I/O it is about. */
export const methodsField = () =>
  z
    .array(z.enum(METHODS))
    .min(1)
    .meta({ examples: [['sync', 'write']] })
    .prefault([...METHODS]);

export const VOLUME_FAULT = {
  recovery: 'healable',
  requires: ['volumeIo'],
  backends: ['volume'],
  victims: ['volume', 'leaderOf', 'broker', 'random'],
  defaultVictim: { kind: 'volume' },
  duration: 'required',
} as const satisfies Partial<FaultDeclaration>;
