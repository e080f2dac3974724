// What a report says of the recovery point and time when the run ended before the part that it is about.
import { expect, test } from 'vitest';
import { SAMPLES } from '../../test/report/sample-models.ts';
import { recoveryPointOf, recoveryTimeOf } from './statements.ts';

test('a control run alone says nothing of a loss or a recovery, however well it went', () => {
  const stopped = { ...SAMPLES.pass, parts: SAMPLES.pass.parts.filter(({ part }) => part !== 'main') };
  expect(stopped.parts.at(-1)).toMatchObject({ part: 'control', verdict: 'pass' });
  expect(recoveryPointOf(stopped)).toMatch(/^Not established: /);
  expect(recoveryTimeOf(stopped)).toMatch(/^Not established: /);
});

test('a loss that was found before any fault is told all the same', () => {
  const main = SAMPLES.fail.parts.at(-1)!;
  expect(recoveryPointOf({ ...SAMPLES.fail, parts: [{ ...main, part: 'control' }] })).toMatch(/records lost/);
});
