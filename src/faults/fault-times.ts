// How long the parts of a fault's life may take: what the scenario asks for, and beside it what the fault itself says that it needs.
import { commandHealMs } from './command-undo.ts';
import type { PreparedFault } from './fault.ts';
import type { FaultSpec } from './fault-schema.ts';

/** What the watchdog waits beyond the planned end and the time for healing, so that it never fires first in a good run. */
const EXPIRY_MARGIN_MS = 30_000;

/** What was asked for, or two looks where one takes long: the first may have begun too early. */
export const confirmMsOf = ({ confirm }: FaultSpec, prepared: PreparedFault | undefined): number =>
  Math.max(confirm.timeoutMs, 2 * (prepared?.lookMs ?? 0));

/** What was asked for, and beside it what programs may take, which put one victim back after the other. */
export const healMsOf = ({ heal }: FaultSpec, prepared: PreparedFault | undefined): number =>
  heal.timeoutMs + (prepared === undefined ? 0 : commandHealMs(prepared.undo));

/** From now until the watchdog may take a fault for forgotten. */
export const longestLifeMs = (spec: FaultSpec, prepared: PreparedFault | undefined): number =>
  (prepared?.longestMs ?? 0) +
  (spec.durationMs ?? 0) +
  confirmMsOf(spec, prepared) +
  healMsOf(spec, prepared) +
  EXPIRY_MARGIN_MS;
