// What shows that the controllers have lost their majority: none of them says any more who leads. And what shows that they have
// one again.
import type { StartedTarget } from '../targets/target.ts';
import type { EvidenceSample, VictimSelector } from './fault.ts';
import { askQuorumLeader } from './probes/quorum.ts';

const NOBODY = -1;

/** The id of who leads the controllers; undefined where nobody does, or nobody says so. */
const leaderNow = async ({ controllers = [] }: StartedTarget, signal: AbortSignal): Promise<number | undefined> => {
  try {
    const id = await askQuorumLeader(controllers, signal);
    return id === NOBODY ? undefined : id;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
};

const describeLeader = (leader: number | undefined): string =>
  leader === undefined ? 'no controller says who leads' : `controller ${leader} leads the quorum`;

/** For a fault that takes a majority of the controllers; nothing for any other. */
export const sampleQuorumLost = async (
  { kind }: VictimSelector,
  target: StartedTarget,
  signal: AbortSignal,
): Promise<readonly EvidenceSample[]> => {
  if (kind !== 'controllers') return [];
  const leader = await leaderNow(target, signal);
  return [{ kind: 'effect', holds: leader === undefined, seen: describeLeader(leader) }];
};

/** For the end of the same. */
export const sampleQuorumBack = async (
  { kind }: VictimSelector,
  target: StartedTarget,
  signal: AbortSignal,
): Promise<readonly EvidenceSample[]> => {
  if (kind !== 'controllers') return [];
  const leader = await leaderNow(target, signal);
  return [{ kind: 'effect', holds: leader !== undefined, seen: describeLeader(leader) }];
};
