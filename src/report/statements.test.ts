// What a report says in sentences: of a fault amid another one, and of recovery when the run ended before the part it is about.
import { expect, test } from 'vitest';
import { SAMPLES } from '../../test/report/sample-models.ts';
import { provesOf, recoveryPointOf, recoveryTimeOf } from './statements.ts';

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

test('an acknowledgement that is old because of another fault is told with its true age and that fault', () => {
  const main = SAMPLES.pass.parts.at(-1)!;
  const exposure = [{ partition: 0, lastAckAgeMs: 2050, silencedBy: 'wal-outage-1' }];
  const faults = main.faults.map((fault) => ({ ...fault, exposure }));
  expect(provesOf({ ...SAMPLES.pass, parts: [{ ...main, faults }] }).join('\n')).toMatch(
    /the youngest acknowledgement before it was 2\.05 s old \(wal-outage-1 had stopped them\)/,
  );
});
