// What a latency fault is asked for, whatever it delays.
import { durationField } from './unit-fields.ts';

export const LATENCY_PARAMS = {
  latency: durationField({ min: '1ms', max: '30s' }),
  jitter: durationField({ max: '15s' }).prefault('0ms'),
};

/** Why the parameters (ms) can prove nothing, if so. */
export const latencyProblem = ({ latency, jitter }: { latency: number; jitter: number }): string | undefined =>
  jitter * 2 > latency
    ? 'jitter must be at most half of latency, or no single answer could prove the delay.'
    : undefined;
