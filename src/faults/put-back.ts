// The healing of one fault: what it changed is put back, what was made for it goes, and both are seen.
import type { Clock } from '../clock.ts';
import { awaitHealed } from './await-healed.ts';
import { withDeadline } from './deadline.ts';
import type { HealSample, PreparedFault } from './fault.ts';
import type { HealTime } from './heal-time.ts';
import type { MadeBeforehand } from './made-beforehand.ts';

export interface Healing {
  readonly clock: Clock;
  /** Of the fault, for what is told of a deadline. */
  readonly id: string;
  readonly time: HealTime;
  readonly prepared: Pick<PreparedFault, 'heal' | 'observeHealed'>;
  readonly made: MadeBeforehand;
  /** Called once what it changed is put back, before it is waited for. */
  readonly onPutBack: () => void;
  readonly onRound: (samples: readonly HealSample[]) => void;
}

/** Whatever becomes of the fault itself, what was made for it goes as well. */
const undo = async ({ clock, id, time, prepared, made }: Healing): Promise<void> => {
  const leftMs = (): number => time.leftMs();
  const what = `the healing of ${id}`;
  try {
    await withDeadline({ clock, ms: leftMs, what }, async (signal) => await prepared.heal(signal));
  } catch (thrown) {
    await made.remove(clock, leftMs()).catch(() => undefined);
    throw thrown;
  }
  await made.remove(clock, leftMs());
};

/**
 * Returns once nothing is left of the fault; a sentence where answers still take longer than before it.
 * @throws DeadlineError where that does not come in time, and whatever the way back throws.
 */
export const putBack = async (healing: Healing): Promise<string | undefined> => {
  const { clock, id, time, prepared, made, onRound } = healing;
  await undo(healing);
  healing.onPutBack();
  const observeHealed = async (signal: AbortSignal): Promise<readonly HealSample[]> => [
    ...(await made.sample()),
    ...(await prepared.observeHealed(signal)),
  ];
  return await awaitHealed({ clock, time, what: id, fault: { observeHealed }, onRound });
};
