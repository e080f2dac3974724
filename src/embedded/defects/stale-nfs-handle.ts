// Defect: an owner whose handle is stale makes the file anew and goes on.
import type { Defect } from './defect.ts';

export const staleNfsHandle: Defect = {
  name: 'stale-nfs-handle',
  summary: 'An owner whose handle is stale makes the file anew and goes on.',
  weakens: 'append: the check of the handle between durable and acknowledged',
  expected: ['lost-write', 'lost-tail', 'duplicate-ack-offset'],
  bitesWhen:
    'A former owner is cut off from controller and object store while clients and the shared directory are not.',
};
