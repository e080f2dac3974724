// Defect: an owner believes that it is still the owner without asking the epoch object.
import type { Defect } from './defect.ts';

export const noFencing: Defect = {
  name: 'no-fencing',
  summary: 'An owner believes that it is still the owner without asking the epoch object.',
  weakens: 'append: the reading of the epoch between durable and acknowledged',
  expected: ['lost-write', 'duplicate-ack-offset'],
  bitesWhen: 'A former owner that is paused or cut off from the controller still has producers.',
};
