// What every part of one ownership shares.
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import { type Claim, isHeldBy } from './fence.ts';
import type { BatchFormat, DefectSet, LogLimits, LogNotice, LogStores } from './interfaces.ts';
import type { PartitionKeys } from './keys.ts';
import type { Ownership } from './ownership.ts';
import { type Patience, untilAvailable } from './until-available.ts';
import type { SlotSpace } from './write-ahead-log.ts';

/** What there is before there is an owner. */
export interface TakeoverContext {
  readonly stores: LogStores;
  readonly format: BatchFormat;
  readonly clock: Clock;
  readonly keys: PartitionKeys;
  readonly claim: Claim;
  readonly defects: DefectSet;
  readonly limits: LogLimits;
  readonly ownership: Ownership;
  readonly patience: Patience;
  readonly report: (event: LogNotice) => void;
}

export interface LogContext extends TakeoverContext {
  /** Where this owner's slots go. */
  readonly space: SlotSpace;
}

/** Whether the fence still names us; one read. */
export const isStillOurs = async ({ stores, keys, claim }: LogContext): Promise<boolean> =>
  await isHeldBy(stores.meta, keys.epoch, claim);

/**
 * Reads the fence until it answers. True: we were still the owner after the call began. False: ownership has ended, now at
 * the latest.
 */
export const confirmOwnership = async (context: LogContext): Promise<boolean> =>
  await confirmedBy(context, async () => await isStillOurs(context));

/** True: what was durable when it was called may be acknowledged. False: ownership has ended, now at the latest. */
export const confirmAppends = async (context: LogContext): Promise<boolean> =>
  await confirmedBy(context, async () => await context.space.confirm());

const confirmedBy = async (
  { defects, ownership, patience }: LogContext,
  ask: () => Promise<boolean>,
): Promise<boolean> => {
  if (defects.has('no-fencing')) return true;
  try {
    const ours = await untilAvailable(patience, 'asking who owns the partition', ask);
    if (!ours) ownership.end('a successor holds the epoch');
  } catch (thrown) {
    if (ownership.isOwner) throw thrown;
  }
  return ownership.isOwner;
};

/** Runs background work; whatever it throws ends the ownership, except the end of the ownership itself. */
export const inBackground = (context: LogContext, work: () => Promise<void>): void => {
  void work().catch((thrown: unknown) => {
    context.ownership.end(describeError(thrown));
  });
};
