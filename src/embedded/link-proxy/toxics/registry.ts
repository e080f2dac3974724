// Every toxic there is, sorted by type.
import type { ToxicType } from '../stage.ts';
import { bandwidth } from './bandwidth.ts';
import { latency } from './latency.ts';
import { limitData } from './limit-data.ts';
import { resetPeer } from './reset-peer.ts';
import { slicer } from './slicer.ts';
import { slowClose } from './slow-close.ts';
import { timeout } from './timeout.ts';

export const TOXICS: readonly ToxicType[] = [bandwidth, latency, limitData, resetPeer, slicer, slowClose, timeout];
