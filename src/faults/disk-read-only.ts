// A disk that can be read and not written, as a file system makes it of one that it does not trust any more. A live writer's file system
// cannot be mounted so from outside (EBUSY), so this is for volumes whose server does it.
import type { FaultDefinition } from './fault.ts';
import { VOLUME_FAULT } from './volume-params.ts';

const params = {};

export const diskReadOnly = {
  kind: 'disk-read-only',
  summary: 'Lets volumes of the write-ahead log be read and neither written nor synced.',
  ...VOLUME_FAULT,
  params,
  prepare: async (context, selector, _params, signal) => {
    const { prepareVolumeFault } = await import('./volume-fault.ts');
    const plan = {
      disturbance: { kind: 'read-only', methods: ['read', 'sync', 'write'] },
      promised: 'http:403',
    } as const;
    return await prepareVolumeFault('disk-read-only', context, selector, plan, signal);
  },
} satisfies FaultDefinition<typeof params>;
