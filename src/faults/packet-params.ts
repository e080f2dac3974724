// What all faults of packets share: what they are asked for, of whom, and who performs them.
import type { FaultDefinition } from './fault.ts';
import type { PacketFault } from './packet-fault.ts';
import { percentField } from './unit-fields.ts';

const PACKET_PARAMS = {
  /** Of all packets that the victim sends. */
  percent: percentField({ min: '1%', max: '100%' }).prefault('10%'),
  /** How much the fate of a packet depends on that of the one before. */
  correlation: percentField({ max: '100%' }).prefault('0%'),
};

export interface PacketParams {
  readonly percent: number;
  readonly correlation: number;
}

/** A fault of packets by its kind and its summary. */
export const packetFault = (kind: PacketFault, summary: string) =>
  ({
    kind,
    summary,
    recovery: 'healable',
    requires: ['containers', 'processes'],
    backends: ['docker'],
    victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
    duration: 'required',
    params: PACKET_PARAMS,
    prepare: async (context, selector, own, signal) => {
      const { preparePacketFault } = await import('./packet-fault.ts');
      return await preparePacketFault(kind, context, selector, own, signal);
    },
  }) as const satisfies FaultDefinition<typeof PACKET_PARAMS>;
