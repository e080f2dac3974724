import { expect, it } from 'vitest';
import { AppendFailures } from './append-failures.ts';

it('says once that appends fail, once that they go on, and how many there were', () => {
  const lines: string[] = [];
  const write = (text: string): void => {
    lines.push(text);
  };
  const failures = new AppendFailures({ info: write, warn: write, error: write });
  for (const code of [0, 0, 7, 7, 7, 0, 0]) failures.note('orders/0', code);
  failures.note('orders/1', 0);
  expect(lines).toEqual([
    'append to orders/0 failed, answered with code 7',
    'append to orders/0: 3 answered with code 7',
  ]);
});
