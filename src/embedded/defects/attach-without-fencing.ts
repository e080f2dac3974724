// Defect: a new owner reads the volume of its predecessor without taking it away from it first.
import type { Defect } from './defect.ts';

export const attachWithoutFencing: Defect = {
  name: 'attach-without-fencing',
  summary: 'A new owner reads the volume of its predecessor without taking it away from it first.',
  weakens: 'takeover: the fence of the volume before it is read',
  expected: ['lost-write', 'lost-tail', 'duplicate-ack-offset'],
  bitesWhen: 'A former owner is cut off from controller and object store while clients and its volume are not.',
};
