// Defect: a new owner appends its first record at the offset of the last one that it recovered.
import type { Defect } from './defect.ts';

export const reuseOffset: Defect = {
  name: 'reuse-offset',
  summary: 'A new owner appends its first record at the offset of the last one that it recovered.',
  weakens: 'takeover: where the new owner begins to append',
  expected: ['duplicate-ack-offset', 'lost-write', 'nonmonotonic-poll'],
  bitesWhen: 'The partition moves to another owner and is written to.',
};
