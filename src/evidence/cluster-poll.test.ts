import { describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { WireError, type WireErrorCode } from '../wire/wire-error.ts';
import { ClusterPoll, type PollCoverage, type PollState } from './cluster-poll.ts';

const refused = (code: WireErrorCode, kafkaCode?: number): WireError =>
  new WireError(code, 'refused by the test', kafkaCode === undefined ? {} : { kafkaCode });

interface Seen {
  readonly states: readonly PollState[];
  readonly answers: readonly string[];
  readonly coverage: PollCoverage;
}

/** What a poll makes of these answers, one after the other; it is stopped after the last. */
const pollOf = async (answers: readonly (string | Error)[]): Promise<Seen> => {
  const states: PollState[] = [];
  const taken: string[] = [];
  let asked = 0;
  const poll = new ClusterPoll<string>({
    everyMs: 1,
    deadlineMs: 1_000,
    clock: systemClock,
    ask: async () => {
      const answer = answers[asked++];
      await Promise.resolve();
      if (answer === undefined) throw new Error('asked too often');
      if (typeof answer !== 'string') throw answer;
      return answer;
    },
    take: (answer) => taken.push(answer),
    onState: (state) => states.push(state),
  });
  const isOver = (): boolean =>
    asked >= answers.length || ['not-provided', 'not-permitted'].includes(states.at(-1) ?? '');
  await expect.poll(isOver, { interval: 1 }).toBe(true);
  await poll[Symbol.asyncDispose]();
  return { states, answers: taken, coverage: poll.coverage };
};

describe('a question that is asked again and again', () => {
  it('is away only after two answers in a row were missing, and says when it is answered again', async () => {
    const away = refused('WIRE_UNREACHABLE');
    const { states, answers, coverage } = await pollOf(['a', away, 'b', away, away, 'c', 'd']);
    expect(states).toEqual(['answers', 'away', 'answers']);
    expect(answers.slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(coverage.answered).toBeGreaterThanOrEqual(3);
    expect(coverage.asked - coverage.answered).toBe(3);
  });

  it.each([
    ['the API is not there', refused('WIRE_UNSUPPORTED_VERSION'), 'not-provided'],
    ['the broker does not take the version', refused('WIRE_REFUSED', 35), 'not-provided'],
    ['the authorizer refuses', refused('WIRE_REFUSED', 31), 'not-permitted'],
    ['the topic may not be looked at', refused('WIRE_REFUSED', 29), 'not-permitted'],
    ['the login is refused', refused('WIRE_LOGIN_REFUSED'), 'not-permitted'],
    ['TLS fails', refused('WIRE_TLS_FAILED'), 'not-permitted'],
  ] as const)('is told once and not asked again where %s', async (_, error, state) => {
    const { states, coverage } = await pollOf([error, 'never asked', 'never asked']);
    expect(states).toEqual([state]);
    expect(coverage).toMatchObject({ state, asked: 1, answered: 0 });
  });

  it('that was never answered covers nothing', async () => {
    const { states, coverage } = await pollOf([new Error('one'), new Error('two')]);
    expect(states).toEqual(['away']);
    expect(coverage).toMatchObject({ state: 'away', answered: 0 });
  });
});
