// Defect: a batch that an idempotent producer sends again is stored again.
import type { Defect } from './defect.ts';

export const storeRetryTwice: Defect = {
  name: 'store-retry-twice',
  summary: 'A batch that an idempotent producer sends again is stored again.',
  weakens: 'append: finding the batch among the last five of its producer',
  expected: ['duplicate'],
  bitesWhen: 'An idempotent producer sends a batch again because its answer was lost.',
};
