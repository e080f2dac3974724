// Defect: a read from a data object returns the stretch of batches after the one that was asked for.
import type { Defect } from './defect.ts';

export const coldReadWrongRange: Defect = {
  name: 'cold-read-wrong-range',
  summary: 'A read from a data object returns the stretch of batches after the one that was asked for.',
  weakens: 'fetch: the byte range of the read from the object store',
  expected: ['divergent-route', 'lost-write', 'offset-gap'],
  bitesWhen: 'Data is read that is neither in memory nor in the write-ahead log.',
};
