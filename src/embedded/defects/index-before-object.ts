// Defect: the index names an object, and the write-ahead log is trimmed, one upload before the object is stored.
import type { Defect } from './defect.ts';

export const indexBeforeObject: Defect = {
  name: 'index-before-object',
  summary: 'The index names an object, and the write-ahead log is trimmed, one upload before the object is stored.',
  weakens: 'upload: storing the object moves behind the commit of the index and the trim',
  expected: ['unseen'],
  bitesWhen: 'The owner dies between the two, or the object store is away.',
};
