// Defect: a slot of the write-ahead log is deleted as soon as it is acknowledged, not when it is uploaded.
import type { Defect } from './defect.ts';

export const trimBeforeCommit: Defect = {
  name: 'trim-before-commit',
  summary: 'A slot of the write-ahead log is deleted as soon as it is acknowledged, not when it is uploaded.',
  weakens: 'upload: the trim moves before the upload and the commit of the index',
  expected: ['lost-tail', 'lost-write', 'duplicate-ack-offset'],
  bitesWhen: 'The owner dies less than an upload interval after an acknowledgement.',
};
