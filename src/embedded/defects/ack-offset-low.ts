// Defect: every acknowledgement names the offset below the one where the records stand.
import type { Defect } from './defect.ts';

export const ackOffsetLow: Defect = {
  name: 'ack-offset-low',
  summary: 'Every acknowledgement names the offset below the one where the records stand.',
  weakens: 'append: the offset told to the producer',
  expected: ['ack-offset-mismatch'],
  bitesWhen: 'Always.',
};
