// Takes a round of evidence every 250 ms for as long as a fault lasts. A round may take longer than that (a probe that waits
// for a timeout), so rounds overlap, up to a limit; what is still on its way when sampling stops is dropped.
import type { Clock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { EvidenceSample, PreparedFault } from './fault.ts';

const SAMPLE_INTERVAL_MS = 250;
const MAX_ROUNDS_IN_FLIGHT = 8;

type Round = (signal: AbortSignal) => Promise<readonly EvidenceSample[]>;

/** A round that threw: whoever looks is not well, and nothing was proved, neither that the fault acts nor that it has ended. */
const failedRound = (thrown: unknown): readonly EvidenceSample[] => [
  { kind: 'control', holds: false, seen: describeError(thrown) },
];

/** One round whose failure is evidence too. It gets a signal of its own, so that listeners do not pile up on `signal`. */
export const takeRound = async (round: Round, signal: AbortSignal): Promise<readonly EvidenceSample[]> => {
  try {
    return await round(AbortSignal.any([signal]));
  } catch (thrown) {
    return failedRound(thrown);
  }
};

export interface Sampling {
  /** Ends the sampling; rounds still on their way are given up. */
  stop(): Promise<void>;
}

/** Starts sampling `fault`; `onRound` gets each round as it is complete. */
export const startSampling = (
  clock: Clock,
  fault: Pick<PreparedFault, 'observe'>,
  onRound: (samples: readonly EvidenceSample[]) => void,
): Sampling => {
  const ended = new AbortController();
  let inFlight = 0;
  const one = async (): Promise<void> => {
    inFlight++;
    const samples = await takeRound(async (signal) => await fault.observe(signal), ended.signal);
    inFlight--;
    if (!ended.signal.aborted) onRound(samples);
  };
  const loop = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      if (inFlight < MAX_ROUNDS_IN_FLIGHT) void one();
      await clock.sleep(SAMPLE_INTERVAL_MS, ended.signal).catch(() => undefined);
    }
  };
  const looping = loop();
  return {
    stop: async () => {
      ended.abort(new Error('sampling has ended'));
      await looping;
    },
  };
};
