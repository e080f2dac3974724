// Some of the packets that a node sends have a bit that is wrong. Their checksums tell, so that they are thrown away and sent again; a
// record that is changed and taken all the same is a violation.
import { packetFault } from './packet-params.ts';

export const packetCorrupt = packetFault(
  'packet-corrupt',
  'Flips a bit in a share of the packets that a node’s container sends, for the duration.',
);
