// A run that stood still itself: what it could not see, send or do meanwhile is nobody else's fault.
import type { Part } from './part.ts';

/** A shorter stall a busy machine has too: bounds take it into account, and the run proves what it proves. */
const LONG_STALL_MS = 5000;

/** So long a stall, of the run or of its load, that it proves less than was asked for. */
export const tellLongStall = (part: Pick<Part, 'tell'>, stallMs: number): void => {
  if (stallMs < LONG_STALL_MS) return;
  const detail = `ackproof itself stood still for ${Math.round(stallMs)} ms: it was stopped, or the machine is too busy`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};
