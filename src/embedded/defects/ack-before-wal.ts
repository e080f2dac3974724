// Defect: appends are acknowledged when they are in memory; the write-ahead log is written at the next upload.
import type { Defect } from './defect.ts';

export const ackBeforeWal: Defect = {
  name: 'ack-before-wal',
  summary: 'Appends are acknowledged when they are in memory; the write-ahead log is written at the next upload.',
  weakens: 'append: the acknowledgement moves before the write to the write-ahead log',
  expected: ['lost-tail', 'lost-write', 'duplicate-ack-offset'],
  bitesWhen: 'The owner dies less than an upload interval after an acknowledgement.',
};
