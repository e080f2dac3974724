// Some of the packets that a node sends come twice. TCP takes each only once, so that nothing may come of it.
import { packetFault } from './packet-params.ts';

export const packetDuplicate = packetFault(
  'packet-duplicate',
  'Sends a share of the packets of a node’s container twice, for the duration.',
);
