// Defect: a new owner appends where the last upload ended, at offsets that the write-ahead log has given out already.
import type { Defect } from './defect.ts';

export const reuseOffset: Defect = {
  name: 'reuse-offset',
  summary:
    'A new owner appends where the last upload ended, at offsets that the write-ahead log has given out already.',
  weakens: 'takeover: where the new owner begins to append',
  expected: ['duplicate-ack-offset', 'lost-write', 'nonmonotonic-poll'],
  bitesWhen: 'The partition moves less than an upload interval after an acknowledgement, and is written to.',
};
