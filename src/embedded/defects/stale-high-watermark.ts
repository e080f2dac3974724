// Defect: after a failover the high watermark stays at the log start and never follows what was recovered or written.
import type { Defect } from './defect.ts';

export const staleHighWatermark: Defect = {
  name: 'stale-high-watermark',
  summary:
    'After a failover the high watermark stays at the log start and never follows what was recovered or written.',
  weakens: 'takeover: the high watermark of the new owner',
  expected: ['hwm-regression', 'lost-tail'],
  bitesWhen: 'The partition moves to another owner.',
};
