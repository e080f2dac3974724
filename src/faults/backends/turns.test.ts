import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Work that ends when it is told to, and notes when it began. */
const scripted = (done: string[]) => {
  const ends = new Map<string, () => void>();
  const work = (name: string) => async (): Promise<string> => {
    done.push(name);
    await new Promise<void>((end) => ends.set(name, end));
    return name;
  };
  const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { work, end };
};

describe('turns', () => {
  it('takes one after the other, and a change before the looks that wait', async () => {
    const begun: string[] = [];
    const { work, end } = scripted(begun);
    const turns = new Turns();
    const all = [turns.look('a', work('look a')), turns.look('b', work('look b')), turns.change(work('change'))];
    expect(begun).toEqual(['look a']);
    await end('look a');
    expect(begun).toEqual(['look a', 'change']);
    await end('change');
    await end('look b');
    expect(await Promise.all(all)).toEqual(['look a', 'look b', 'change']);
  });

  it('looks once for all who ask before it begins, and once more for whoever asks after that', async () => {
    const begun: string[] = [];
    const { work, end } = scripted(begun);
    const turns = new Turns();
    const first = turns.look('a', work('first'));
    const second = turns.look('a', work('second'));
    const third = turns.look('a', work('third'));
    expect(begun).toEqual(['first']);
    await end('first');
    await end('second');
    expect(await Promise.all([first, second, third])).toEqual(['first', 'second', 'second']);
    expect(begun).toEqual(['first', 'second']);
  });

  it('goes on after work that failed, which all who asked are told', async () => {
    const turns = new Turns();
    const fails = async (): Promise<never> => await Promise.reject(new Error('no'));
    const begun = turns.change(fails);
    const shared = [turns.look('a', fails), turns.look('a', fails)];
    await expect(begun).rejects.toThrow('no');
    for (const look of shared) await expect(look).rejects.toThrow('no');
    expect(await turns.look('a', async () => await Promise.resolve('yes'))).toBe('yes');
  });
});
