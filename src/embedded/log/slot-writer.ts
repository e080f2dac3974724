// Makes one slot durable, however often it takes. The slot's key is ours alone (our epoch is in it), so whatever stands there
// was written by us: by this attempt, or by an earlier one whose answer was lost and which the store now refuses to repeat.
import type { LogContext } from './log-context.ts';
import { LogDamaged } from './log-damaged.ts';
import { decodeSlot } from './slot.ts';
import { type Patience, untilAvailable } from './until-available.ts';

/**
 * Resolves once the slot is stored. That alone acknowledges nothing: a successor may have taken over, recovered without it,
 * or recovered, uploaded and trimmed it so that creating it again succeeded. The fence, read afterwards, tells.
 */
export const writeSlot = async (
  { stores: { wal }, claim }: LogContext,
  key: string,
  bytes: Uint8Array,
  patience: Patience,
): Promise<void> => {
  await untilAvailable(patience, 'appending to the write-ahead log', async () => {
    for (;;) {
      const result = await wal.put(key, bytes, { ifNoneMatch: true });
      if (result.status === 'stored') return;
      const object = await wal.get(key);
      if (object !== undefined) {
        if (decodeSlot(object.bytes, key).nonce === claim.nonce) return;
        throw new LogDamaged(`another writer's slot stands at ${key}`);
      }
      patience.signal.throwIfAborted();
    }
  });
};
