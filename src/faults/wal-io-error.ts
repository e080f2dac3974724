// A disk below the write-ahead log that answers with an error: what it refused is not durable, whatever the broker makes of it.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { methodsField, VOLUME_FAULT } from './volume-params.ts';

const ERRNOS = ['EIO', 'ENODEV', 'ETIMEDOUT'] as const;

const params = { errno: z.enum(ERRNOS).prefault('EIO'), methods: methodsField() };

export const walIoError = {
  kind: 'wal-io-error',
  summary: 'Refuses each read, write and sync of volumes of the write-ahead log with an error of the disk.',
  ...VOLUME_FAULT,
  params,
  prepare: async (context, selector, { errno, methods }, signal) => {
    const { prepareVolumeFault } = await import('./volume-fault.ts');
    const plan = { disturbance: { kind: 'error', errno, methods }, promised: 'http:500' } as const;
    return await prepareVolumeFault('wal-io-error', context, selector, plan, signal);
  },
} satisfies FaultDefinition<typeof params>;
