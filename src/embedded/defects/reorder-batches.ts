// Defect: two batches of one producer change places in each data object.
import type { Defect } from './defect.ts';

export const reorderBatches: Defect = {
  name: 'reorder-batches',
  summary: 'Two batches of one producer change places in each data object.',
  weakens: 'upload: the order of the batches that are stored',
  expected: ['inconsistent-offset', 'ack-offset-mismatch', 'nonmonotonic-send'],
  bitesWhen: 'Data is read that is neither in memory nor in the write-ahead log.',
};
