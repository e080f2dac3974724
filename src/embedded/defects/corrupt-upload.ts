// Defect: one byte of each data object is flipped before it is uploaded.
import type { Defect } from './defect.ts';

export const corruptUpload: Defect = {
  name: 'corrupt-upload',
  summary: 'One byte of each data object is flipped before it is uploaded.',
  weakens: 'upload: the bytes that are stored',
  expected: ['corrupt-value'],
  bitesWhen: 'Data is read that is neither in memory nor in the write-ahead log.',
};
