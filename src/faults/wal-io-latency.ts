// A slow disk below the write-ahead log: each read, write or sync takes so much longer, and nothing may be lost or reordered for it.
import type { FaultDefinition } from './fault.ts';
import { durationField } from './unit-fields.ts';
import { methodsField, VOLUME_FAULT } from './volume-params.ts';

const params = { latency: durationField({ min: '1ms', max: '10s' }), methods: methodsField() };

export const walIoLatency = {
  kind: 'wal-io-latency',
  summary: 'Delays each read, write and sync of volumes of the write-ahead log.',
  ...VOLUME_FAULT,
  params,
  prepare: async (context, selector, { latency: latencyMs, methods }, signal) => {
    const { prepareVolumeFault } = await import('./volume-fault.ts');
    const plan = { disturbance: { kind: 'latency', latencyMs, methods }, promised: 'slow' } as const;
    return await prepareVolumeFault('wal-io-latency', context, selector, plan, signal);
  },
} satisfies FaultDefinition<typeof params>;
