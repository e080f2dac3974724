import { describe, expect, it } from 'vitest';
import { firstAnswer } from './first-answer.ts';

const never = new AbortController().signal;
const silent = async (_whom: string, signal: AbortSignal): Promise<string> =>
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

describe('the first answer', () => {
  it('is of the first who answers, and nobody else is asked', async () => {
    const asked: string[] = [];
    const answer = await firstAnswer(
      ['a', 'b', 'c'],
      async (whom) => {
        asked.push(whom);
        return await Promise.resolve(whom);
      },
      never,
    );
    expect([answer, asked]).toEqual(['a', ['a']]);
  });

  it('comes at once where those before have failed', async () => {
    const began = performance.now();
    const answer = await firstAnswer(
      ['a', 'b', 'c'],
      async (whom) => (whom === 'c' ? await Promise.resolve(whom) : await Promise.reject(new Error('refused'))),
      never,
    );
    expect(answer).toBe('c');
    expect(performance.now() - began).toBeLessThan(140);
  });

  it('does not wait for somebody who is silent, and lets go of him', async () => {
    let letGo = false;
    const answer = await firstAnswer(
      ['a', 'b'],
      async (whom, signal) => {
        if (whom === 'b') return await Promise.resolve(whom);
        signal.addEventListener('abort', () => (letGo = true));
        return await silent(whom, signal);
      },
      never,
    );
    expect([answer, letGo]).toEqual(['b', true]);
  });

  it('is an error with every failure where nobody answers, and ends with the signal', async () => {
    await expect(
      firstAnswer(['a', 'b'], async (whom) => await Promise.reject(new Error(whom)), never),
    ).rejects.toBeInstanceOf(AggregateError);
    const stop = new AbortController();
    const waiting = firstAnswer(['a'], silent, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toBeInstanceOf(AggregateError);
  });
});
