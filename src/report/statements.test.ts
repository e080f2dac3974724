// What a report says in sentences: of a fault amid another one, and of recovery when the run ended before the part it is about.
import { expect, test } from 'vitest';
import { completed, SAMPLES } from '../../test/report/sample-models.ts';
import { tiles } from './html/banner.ts';
import { leavesOpenOf, provesOf, recoveryPointOf, recoveryTimeOf } from './statements.ts';

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

test('no loss is denied of a run in which a later pass lacks records, or that left reasons for doubt beside its failure', () => {
  const main = SAMPLES.pass.parts.at(-1)!;
  const [lost] = SAMPLES.fail.parts.at(-1)!.findings;
  const parted = { ...lost!, anomaly: 'divergent-route' as const, legal: false, count: 398 };
  const told = (given: object) => recoveryPointOf({ ...SAMPLES.fail, parts: [{ ...main, verdict: 'fail', ...given }] });
  expect(told({})).toMatch(/^Zero: /);
  expect(told({ findings: [parted] })).toBe(
    'Not established: 398 records that one pass showed cannot be read in a later one.',
  );
  expect(told({ inconclusiveBecause: ['no pass reached the end of orders/0'] })).toMatch(/^Not established: /);
});

test('an acknowledgement that is old because of another fault is told with its true age and that fault', () => {
  const main = SAMPLES.pass.parts.at(-1)!;
  const exposure = [{ partition: 0, lastAckAgeMs: 2050, silencedBy: 'wal-outage-1' }];
  const faults = main.faults.map((fault) => ({ ...fault, exposure }));
  expect(provesOf({ ...SAMPLES.pass, parts: [{ ...main, faults }] }).join('\n')).toMatch(
    /the youngest acknowledgement before it was 2\.05 s old \(wal-outage-1 had stopped them\)/,
  );
});

// Red before: the partition "did not recover", in red.
test('a partition that nobody asked after a fault leaves the recovery open; it is not one that stayed away', () => {
  const main = SAMPLES.pass.parts.at(-1)!;
  const quiet = main.availability.map((one) => ({
    ...one,
    outages: [],
    notAttempted: [{ faultId: 'process-kill-1', from: 3000 }],
  }));
  const model = completed({ ...SAMPLES.pass, parts: [{ ...main, availability: quiet, outages: [] }] });
  const open = 'nothing was attempted in partition 0 after process-kill-1';
  expect(recoveryTimeOf(model)).toBe(`Not established: ${open}.`);
  expect(tiles(model)?.text).toContain(open);
});

// Red before: nothing was said of a gap in a run without a fault.
test('a long gap without any fault is told beside the sentence that no fault acted', () => {
  const main = { ...SAMPLES.pass.parts.at(-1)!, faults: [], outages: [] };
  const availability = main.availability.map((one) => ({ ...one, longestGapMs: 5910 }));
  expect(recoveryTimeOf({ ...SAMPLES.pass, parts: [{ ...main, availability }] })).toBe(
    'No fault acted, so there was nothing to recover from; still, partition 0 was not acknowledged for 5.91 s.',
  );
});

// Red before: that a tenth of the load came was told nowhere.
test('a rate that was not reached is left open, by what came before the fault; one that was is not', () => {
  const rateOf = (rate: string): string => leavesOpenOf({ ...SAMPLES.pass, workload: { rate } }).join('\n');
  expect(rateOf('200000 records/s')).toMatch(
    /The rate was not reached: 200,000 records\/s were asked for, and about [\d,]+ came\./,
  );
  expect(rateOf('100 records/s')).not.toMatch(/rate/);
  expect(rateOf('as fast as answered')).not.toMatch(/rate/);
});

// Red before: records of the probes were told as the load's.
test('the records of the probes are told apart from those of the load', () => {
  const main = SAMPLES.pass.parts.at(-1)!;
  const buckets = [{ acked: 90, unknown: 0, failed: 10 }];
  const examined = { ...main.examined!, sent: 130, ok: 118 };
  const parts = [{ ...main, examined, load: { from: 0, bucketMs: 250, buckets } }];
  expect(tiles({ ...SAMPLES.pass, parts })?.text).toContain('of 100 records of the load, and 28 of 30 by probes');
});
