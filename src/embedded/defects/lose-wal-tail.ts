// Defect: a new owner starts from what was uploaded and ignores the write-ahead log of its predecessor.
import type { Defect } from './defect.ts';

export const loseWalTail: Defect = {
  name: 'lose-wal-tail',
  summary: 'A new owner starts from what was uploaded and ignores the write-ahead log of its predecessor.',
  weakens: 'takeover: recovery of the open extent',
  expected: ['lost-tail', 'lost-write', 'duplicate-ack-offset'],
  bitesWhen: 'The owner dies less than an upload interval after an acknowledgement.',
};
