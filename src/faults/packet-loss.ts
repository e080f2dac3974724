// Some of the packets that a node sends are lost: it is asked for again what had come long ago, and the slower its peers notice, the
// later they have it.
import { packetFault } from './packet-params.ts';

export const packetLoss = packetFault(
  'packet-loss',
  'Loses a share of the packets that a node’s container sends, for the duration.',
);
