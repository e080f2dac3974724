// Defect: a fetch that meets a missing data object goes on behind it without a word.
import type { Defect } from './defect.ts';

export const skipMissingObject: Defect = {
  name: 'skip-missing-object',
  summary: 'A fetch that meets a missing data object goes on behind it without a word.',
  weakens: 'fetch: the answer to a missing object',
  expected: ['lost-write', 'offset-gap'],
  bitesWhen: 'A data object is gone and its data is neither in memory nor in the write-ahead log.',
};
