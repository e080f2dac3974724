// Defect: appends are acknowledged once the volume has them, and never synced.
import type { Defect } from './defect.ts';

export const fsyncSkipped: Defect = {
  name: 'fsync-skipped',
  summary: 'Appends are acknowledged once the volume has them, and never synced.',
  weakens: 'append: the sync between written and acknowledged',
  expected: ['lost-tail', 'lost-write', 'duplicate-ack-offset'],
  bitesWhen: 'The power of the volume is cut less than an upload interval after an acknowledgement.',
};
