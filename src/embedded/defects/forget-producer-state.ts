// Defect: a new owner knows nothing of the producers that wrote before it.
import type { Defect } from './defect.ts';

export const forgetProducerState: Defect = {
  name: 'forget-producer-state',
  summary: 'A new owner knows nothing of the producers that wrote before it.',
  weakens: 'takeover: rebuilding the producer state from the index and the write-ahead log',
  expected: ['duplicate'],
  bitesWhen: 'An idempotent producer sends a batch again that the former owner had stored.',
};
