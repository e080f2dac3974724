// Limiting how fast bytes pass on one path. Its canaries and controls are transfers, because a small question fits through any
// limit; a path that carries too little by itself is refused, since there the limit could not be told.
import { EnvironmentError } from '../errors.ts';
import type { PathName } from '../targets/target.ts';
import { formatSize } from '../units.ts';
import {
  type BandwidthLimit,
  bandwidthToxics,
  canBeTold,
  HEALED_SLOWER,
  isLimited,
  isUnlimited,
  longestTransferMs,
  TRANSFERS_MS,
  transferPlan,
} from './bandwidth-plan.ts';
import type { FaultContext, PreparedFault, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { answersAs } from './link-effects.ts';
import { prepareLinkFault } from './link-fault.ts';
import type { PathProbes } from './path-controls.ts';
import { type Baseline, PATIENT_MS } from './probes/baseline.ts';
import { directTransfers, openTransferCanary } from './transfer-canary.ts';
import { resolveLinkVictims, type Victims } from './victim.ts';

const UNTOLD = 'FAULT_UNTOLD';

interface BandwidthScene {
  readonly context: FaultContext;
  readonly victims: Victims;
  readonly path: PathName;
}

const refuseUntold = (what: string, limit: BandwidthLimit, baseline: Baseline): void => {
  if (canBeTold(limit, baseline)) return;
  const carried = (transferPlan(limit).bytes * 1000) / baseline.medianMs;
  throw new EnvironmentError(
    UNTOLD,
    `${what} carries only ${formatSize(Math.round(carried))}/s of a canary, so a limit of ${formatSize(limit.bytesPerSecond)}/s could not be told.`,
    { hint: 'Use a lower rate.' },
  );
};

const transfersOf = ({ target, runId }: FaultContext, limit: BandwidthLimit, signal: AbortSignal): PathProbes => {
  const around = { target, runId, plan: transferPlan(limit) };
  return {
    canary: async (link) => {
      const canary = await openTransferCanary(link, around, signal);
      try {
        refuseUntold(`The ${link.path} path of ${link.node}`, limit, canary.baseline);
        return canary;
      } catch (thrown) {
        canary.close();
        throw thrown;
      }
    },
    direct: async ({ node, direct }) => {
      const name = `${node} directly`;
      const { baseline, probe } = await directTransfers(name, direct, around, signal);
      refuseUntold(name, limit, baseline);
      return { name, node, baseline, probe: async (own) => await probe(PATIENT_MS, own) };
    },
  };
};

const prepareTransfers = async (
  { context, victims, path }: BandwidthScene,
  limit: BandwidthLimit,
  signal: AbortSignal,
): Promise<PreparedFault> =>
  await prepareLinkFault(
    {
      fault: 'bandwidth-limit',
      context,
      victims,
      path,
      change: { enabled: true, toxics: bandwidthToxics(limit, toxicPrefix(context)) },
      effect: answersAs((probe) => isLimited(limit, probe), longestTransferMs(limit)),
      probes: transfersOf(context, limit, signal),
      controlBound: (probe) => isUnlimited(limit, probe),
      slower: HEALED_SLOWER,
    },
    signal,
  );

const isUntold = (thrown: unknown): boolean => thrown instanceof EnvironmentError && thrown.code === UNTOLD;

/**
 * Its transfers are as short as the path allows.
 * @throws EnvironmentError where the target has no links, the victim cannot be told, or the limit could not be.
 */
export const prepareBandwidth = async (
  context: FaultContext,
  selector: VictimSelector,
  path: PathName,
  limit: Omit<BandwidthLimit, 'transferMs'>,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const scene = { context, victims: await resolveLinkVictims(context, selector, signal), path };
  const [shortMs, longMs] = TRANSFERS_MS;
  try {
    return await prepareTransfers(scene, { ...limit, transferMs: shortMs }, signal);
  } catch (thrown) {
    if (!isUntold(thrown)) throw thrown;
    return await prepareTransfers(scene, { ...limit, transferMs: longMs }, signal);
  }
};
