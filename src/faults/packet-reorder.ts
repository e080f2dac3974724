// Some of the packets that a node sends overtake others, which are late. TCP puts them in order again, so that nothing but time may be
// lost by it.
import { packetFault } from './packet-params.ts';

export const packetReorder = packetFault(
  'packet-reorder',
  'Lets a share of the packets that a node’s container sends overtake the others, which are 20 ms late, for the duration.',
);
