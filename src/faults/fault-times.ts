// How long the parts of a fault's life may take: what the scenario asks for, and beside it what the fault itself says that it needs.
import { FEWEST_GOOD_ROUNDS } from './await-healed.ts';
import { commandHealedMs, commandHealMs } from './command-undo.ts';
import type { PreparedFault } from './fault.ts';
import type { FaultSpec } from './fault-schema.ts';

/** What the watchdog waits beyond the planned end and the time for healing, so that it never fires first in a good run. */
const EXPIRY_MARGIN_MS = 30_000;

/** What was asked for, or two looks where one takes long: the first may have begun too early. */
export const confirmMsOf = ({ confirm }: FaultSpec, prepared: PreparedFault | undefined): number =>
  Math.max(confirm.timeoutMs, 2 * (prepared?.lookMs ?? 0));

/**
 * What was asked for, and beside it what programs may take: they put one victim back after the other, and then say so in every round,
 * the first time perhaps not before they can, and later in twice the time that it took at rest.
 */
export const healMsOf = ({ heal }: FaultSpec, prepared: PreparedFault | undefined): number => {
  if (prepared === undefined) return heal.timeoutMs;
  const { undo, healLookMs = 0 } = prepared;
  return heal.timeoutMs + commandHealMs(undo) + commandHealedMs(undo) + 2 * FEWEST_GOOD_ROUNDS * healLookMs;
};

/** From now until the watchdog may take a fault for forgotten, where no other keeps it from being healed. */
export const longestLifeMs = (spec: FaultSpec, prepared: PreparedFault | undefined): number =>
  (prepared?.longestMs ?? 0) +
  (spec.durationMs ?? 0) +
  confirmMsOf(spec, prepared) +
  healMsOf(spec, prepared) +
  EXPIRY_MARGIN_MS;
