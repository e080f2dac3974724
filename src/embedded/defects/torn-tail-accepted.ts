// Defect: a new owner takes the last slot of its predecessor without looking whether it is whole.
import type { Defect } from './defect.ts';

export const tornTailAccepted: Defect = {
  name: 'torn-tail-accepted',
  summary: 'A new owner takes the last slot of its predecessor without looking whether it is whole.',
  weakens: 'takeover: the checksum of a slot that is recovered',
  expected: ['corrupt-value'],
  bitesWhen: 'The owner dies while a slot is under way to its volume.',
};
