// Makes one slot durable, however often it takes.
import type { LogContext } from './log-context.ts';
import { type Patience, untilAvailable } from './until-available.ts';
import type { SlotWrite } from './write-ahead-log.ts';

/**
 * Resolves once the slot is durable, or its writer was shut out. Durable alone acknowledges nothing: a successor may have taken
 * over and recovered without it, or recovered, uploaded and trimmed it so that creating it again succeeded. What the space
 * confirms afterwards tells.
 */
export const writeSlot = async (
  { space }: LogContext,
  key: string,
  bytes: Uint8Array,
  patience: Patience,
): Promise<SlotWrite> =>
  await untilAvailable(
    patience,
    'appending to the write-ahead log',
    async () => await space.write(key, bytes, patience.signal),
  );
