// What a fault of packets is asked for, whatever it does to them.
import { percentField } from './unit-fields.ts';

export const PACKET_PARAMS = {
  /** Of all packets that the victim sends. */
  percent: percentField({ min: '1%', max: '100%' }).prefault('10%'),
  /** How much the fate of a packet depends on that of the one before. */
  correlation: percentField({ max: '100%' }).prefault('0%'),
};

export interface PacketParams {
  readonly percent: number;
  readonly correlation: number;
}
