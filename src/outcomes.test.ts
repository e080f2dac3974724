import { describe, expect, it } from 'vitest';
import { APACHE_KAFKA_PROFILE, CAUTIOUS_PROFILE, judgeAnswer, judgeUnanswered, OUTCOME_TABLE } from './outcomes.ts';

const first = { isFirst: true, tainted: false };
const REFUSED = [10, 17, 18, 21, 29, 31, 32, 43, 87];
const SEQUENCE = [45, 47, 59, 90];
const all = { notEnoughReplicasIsDefinite: true, sequenceErrorsAreDefinite: true };

describe('the outcome table', () => {
  it('is sorted, without repeats, and gives a reason everywhere', () => {
    const codes = OUTCOME_TABLE.map((row) => row.code);
    expect(codes).toEqual([...new Set(codes)].sort((one, other) => one - other));
    for (const row of OUTCOME_TABLE) expect(row.reason).not.toBe('');
  });

  it('acknowledges 0 with its offset and 46 without', () => {
    expect(judgeAnswer(0, { ...first, profile: CAUTIOUS_PROFILE })).toMatchObject({
      outcome: 'ok',
      offsetTrusted: true,
    });
    expect(judgeAnswer(46, { ...first, profile: CAUTIOUS_PROFILE })).toMatchObject({
      outcome: 'ok',
      offsetTrusted: false,
    });
  });

  it('calls exactly the definite refusals of a clean first attempt a failure', () => {
    const failing = (profile: typeof all): number[] =>
      Array.from({ length: 140 }, (_, index) => index - 1).filter(
        (code) => judgeAnswer(code, { ...first, profile }).outcome === 'fail',
      );
    const sorted = (codes: readonly number[]): number[] => [...codes].sort((one, other) => one - other);
    expect(failing(CAUTIOUS_PROFILE)).toEqual(REFUSED);
    expect(failing(APACHE_KAFKA_PROFILE)).toEqual(sorted([...REFUSED, 19]));
    expect(failing(all)).toEqual(sorted([...REFUSED, 19, ...SEQUENCE]));
  });

  it('never calls anything a failure on a later or tainted attempt, whatever is declared', () => {
    for (let code = -1; code < 140; code++) {
      for (const facts of [
        { isFirst: false, tainted: false },
        { isFirst: true, tainted: true },
        { isFirst: false, tainted: true },
      ]) {
        const { outcome } = judgeAnswer(code, { ...facts, profile: all });
        expect(outcome).toBe(code === 0 || code === 46 ? 'ok' : 'unknown');
      }
    }
  });

  it('leaves a code without a row in doubt', () => {
    expect(judgeAnswer(1234, { ...first, profile: all }).outcome).toBe('unknown');
  });
});

describe('a request without an answer', () => {
  it('failed only if nothing left the process and nothing earlier is in doubt', () => {
    expect(judgeUnanswered('never-sent', first).outcome).toBe('fail');
    expect(judgeUnanswered('never-sent', { isFirst: false, tainted: true }).outcome).toBe('unknown');
    for (const end of ['disconnected', 'deadline', 'cancelled', 'unacknowledged', 'unreadable'] as const) {
      expect(judgeUnanswered(end, first).outcome).toBe('unknown');
    }
  });
});
