// The effects that faults of connections promise, as canaries see them. Each names the classes it accepts: a canary that fails
// in any other way is no evidence.
import type { EvidenceSample, ProbeClass } from './fault.ts';
import type { LinkCanary } from './link-canary.ts';
import type { EffectProbe } from './link-fault.ts';
import { type Baseline, PATIENT_MS, probeDeadlineMs } from './probes/baseline.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';

const effect = (what: string, probe: ProbeResult, holds: boolean): EvidenceSample => ({
  kind: 'effect',
  holds,
  seen: `${what}: ${describeProbe(probe)}`,
});

interface Asked {
  readonly what: string;
  readonly result: ProbeResult;
  readonly isHeld: boolean;
}

/** Every question a canary has, at the same time. */
const askAll = async (canary: LinkCanary, deadlineMs: number, signal: AbortSignal): Promise<readonly Asked[]> => {
  const { link } = canary;
  const asked = async (what: string, answer: Promise<ProbeResult>, isHeld: boolean): Promise<Asked> => ({
    what: `${link.path} of ${link.node}, ${what}`,
    result: await answer,
    isHeld,
  });
  const questions = [asked('new connection', canary.probe(deadlineMs, signal), false)];
  if (canary.probeWrite !== undefined) questions.push(asked('write', canary.probeWrite(deadlineMs, signal), false));
  if (canary.probeHeld !== undefined)
    questions.push(asked('held connection', canary.probeHeld(deadlineMs, signal), true));
  return await Promise.all(questions);
};

/** New connections end in one of `fresh`, the held one in one of `held`. */
export const failsAs =
  (fresh: readonly ProbeClass[], held: readonly ProbeClass[]): EffectProbe =>
  async (canary, signal) => {
    const answers = await askAll(canary, probeDeadlineMs(canary.baseline, [...fresh, ...held]), signal);
    return answers.map(({ what, result, isHeld }) =>
      effect(what, result, (isHeld ? held : fresh).includes(result.class)),
    );
  };

/** Answers still come, each as the fault promises, and none later than the fault makes it. */
export const answersAs =
  (holds: (result: ProbeResult, baseline: Baseline) => boolean, longestMs: number): EffectProbe =>
  async (canary, signal) => {
    const answers = await askAll(canary, longestMs + PATIENT_MS, signal);
    return answers.map(({ what, result }) => effect(what, result, holds(result, canary.baseline)));
  };

/** Answers still come, at least `extraMs` later than before. */
export const answersLater = (extraMs: number, longestMs: number): EffectProbe =>
  answersAs((result, { medianMs }) => result.class === 'ok' && result.ms >= medianMs + extraMs, longestMs);
