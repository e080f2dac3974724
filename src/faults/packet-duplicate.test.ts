import { describePacketFault } from '../../test/faults/packet-cases.ts';

describePacketFault('packet-duplicate');
