import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AckproofError } from '../errors.ts';
import { HealStack, healError } from './heal-stack.ts';

const never = new AbortController().signal;

describe('the heal stack', () => {
  it('attempts every heal exactly once, newest first in its group, whichever of them throw', async () => {
    const steps = fc.array(fc.record({ group: fc.constantFrom('a', 'b', 'c'), throws: fc.boolean() }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (planned) => {
        const stack = new HealStack();
        const attempted: number[] = [];
        for (const [index, { group, throws }] of planned.entries()) {
          stack.push({
            what: String(index),
            group,
            heal: async () => {
              attempted.push(index);
              await Promise.resolve();
              if (throws) throw new Error(String(index));
            },
          });
        }
        const problems = await stack.healAll(never);
        expect([...attempted].sort((one, other) => one - other)).toEqual(planned.map((_, index) => index));
        for (const group of ['a', 'b', 'c']) {
          const mine = attempted.filter((index) => planned[index]?.group === group);
          expect(mine).toEqual([...mine].sort((one, other) => other - one));
        }
        expect(problems).toHaveLength(planned.filter((each) => each.throws).length);
        expect(await stack.healAll(never)).toEqual([]);
      }),
    );
  });

  it('makes the first error win and keeps the others attached', () => {
    const error = healError([
      { what: 'one', error: new Error('first') },
      { what: 'two', error: new Error('second') },
    ]);
    expect(error).toBeInstanceOf(AckproofError);
    expect(error?.cause).toEqual(new Error('first'));
    expect(error?.attached).toEqual([new Error('second')]);
    expect(healError([])).toBeUndefined();
  });
});
