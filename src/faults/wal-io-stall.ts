// The disk below the write-ahead log stands still: what is asked of it is neither done nor refused until the fault is over. Who serves it
// still answers, so that nothing else looks ill.
import type { FaultDefinition } from './fault.ts';
import { methodsField, VOLUME_FAULT } from './volume-params.ts';

const params = { methods: methodsField() };

export const walIoStall = {
  kind: 'wal-io-stall',
  summary: 'Holds the reads, writes and syncs of volumes of the write-ahead log, and lets them go after the duration.',
  ...VOLUME_FAULT,
  params,
  prepare: async (context, selector, { methods }, signal) => {
    const { prepareVolumeFault } = await import('./volume-fault.ts');
    const plan = { disturbance: { kind: 'stall', methods }, promised: 'timeout' } as const;
    return await prepareVolumeFault('wal-io-stall', context, selector, plan, signal);
  },
} satisfies FaultDefinition<typeof params>;
