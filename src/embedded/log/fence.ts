// The fence: one small object that says who owns the partition. It changes only by compare-and-set and its epoch only rises,
// so whoever reads their own name in it knows that no successor had begun to take over when the read was served.
import type { ConditionalStore } from './interfaces.ts';
import { decodeJson, encodeJson } from './json-object.ts';
import { type Patience, untilAvailable } from './until-available.ts';

export interface Claim {
  readonly epoch: number;
  readonly brokerId: number;
  readonly nonce: string;
}

interface HeldClaim {
  readonly claim: Claim;
  readonly etag: string;
}

const readClaim = async (meta: ConditionalStore, key: string): Promise<HeldClaim | undefined> => {
  const object = await meta.get(key);
  return object && { claim: decodeJson(object.bytes, `the epoch object ${key}`) as Claim, etag: object.etag };
};

/** Whether the fence names exactly this claim; one read, which throws StoreUnavailable when the store is away. */
export const isHeldBy = async (meta: ConditionalStore, key: string, claim: Claim): Promise<boolean> => {
  const held = await readClaim(meta, key);
  return held?.claim.epoch === claim.epoch && held.claim.nonce === claim.nonce;
};

/**
 * Puts `claim` into the fence. Undefined when it is ours; otherwise the epoch, not below ours, that stands there. An answer
 * that was lost is found out by reading: our own nonce there means that the write went through.
 */
export const claimFence = async (
  meta: ConditionalStore,
  key: string,
  claim: Claim,
  patience: Patience,
): Promise<number | undefined> => {
  const bytes = encodeJson(claim);
  return await untilAvailable(patience, 'claiming the epoch', async () => {
    for (;;) {
      const held = await readClaim(meta, key);
      if (held?.claim.nonce === claim.nonce && held.claim.epoch === claim.epoch) return undefined;
      if (held !== undefined && held.claim.epoch >= claim.epoch) return held.claim.epoch;
      const condition = held === undefined ? { ifNoneMatch: true as const } : { ifMatch: held.etag };
      const result = await meta.put(key, bytes, condition);
      if (result.status === 'stored') return undefined;
      patience.signal.throwIfAborted();
    }
  });
};
