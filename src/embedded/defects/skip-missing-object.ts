// Defect: a fetch that cannot get a data object goes on behind it without a word.
import type { Defect } from './defect.ts';

export const skipMissingObject: Defect = {
  name: 'skip-missing-object',
  summary: 'A fetch that cannot get a data object, missing or out of reach, goes on behind it without a word.',
  weakens: 'fetch: the answer to an object that cannot be had',
  expected: ['stale-read', 'divergent-route', 'lost-write'],
  bitesWhen: 'A data object is gone or out of reach while something behind it is in memory or in the write-ahead log.',
};
