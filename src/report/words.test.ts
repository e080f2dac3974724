import { expect, test } from 'vitest';
import type { FaultReport } from './model.ts';
import {
  capacityText,
  faultTimes,
  healWord,
  lateText,
  outageText,
  partName,
  proofWord,
  targetText,
  unconfirmedReason,
} from './words.ts';

const fault = (facts: Partial<FaultReport>): FaultReport => ({
  id: 'process-kill-1',
  fault: 'process-kill',
  victims: ['broker/1'],
  chosen: 'broker 1, as named',
  state: 'healed',
  require: 'all',
  confirmed: true,
  evidence: [],
  exposure: [],
  marks: [],
  ...facts,
});

test('a run without a fault is not called one with a fault', () => {
  expect(partName({ part: 'main' }, true)).toBe('Baseline run');
  expect(partName({ part: 'main' }, false)).toBe('Fault run');
  expect(partName({ part: 'preflight' }, true)).toBe('Honesty check');
});

test('a target that is called like its kind is named once', () => {
  expect(targetText({ kind: 'embedded', name: 'embedded', fingerprint: {} })).toBe('embedded');
  expect(targetText({ kind: 'external', name: 'staging', fingerprint: {} })).toBe('staging (external)');
});

// Red before: the reason why it could not be healed made a fault that was confirmed an unconfirmed one.
test('a fault that was confirmed and could not be healed is told as both', () => {
  const stuck = fault({ appliedAt: 1, confirmedAt: 2, healingAt: 3, state: 'heal-failed', reason: 'no answer' });
  expect([proofWord(stuck), healWord(stuck), unconfirmedReason(stuck)]).toEqual([
    'confirmed',
    'heal failed',
    undefined,
  ]);
  const both = fault({ ...stuck, confirmed: false });
  expect([proofWord(both), unconfirmedReason(both)]).toEqual(['unconfirmed', undefined]);
});

// Red before: the missing effect, which the scenario did not ask for, made it an unconfirmed one.
test('what a fault by mechanism alone did not show beside it takes nothing from its confirmation', () => {
  const quiet = fault({ require: 'mechanism', appliedAt: 1, healedAt: 3, reason: 'effect: the port answers' });
  expect(proofWord(quiet)).toBe('confirmed by its mechanism only');
  expect(proofWord({ ...quiet, confirmed: false })).toBe('unconfirmed');
});

// Red before: a fault whose `apply` broke half-way, and which was never healed, had "nothing to heal".
test('a fault that was being applied or taken back when all ended is not healed', () => {
  for (const state of ['intent', 'applied', 'healing']) expect(healWord(fault({ state }))).toBe('not healed');
  for (const state of ['not started', 'unconfirmed', 'confirmed']) {
    expect(healWord(fault({ state }))).toBe('nothing to heal');
  }
  expect(healWord(fault({ healedAt: 3 }))).toBe('healed');
});

test('a fault that began late is told with the plan and the reason; one in time is not', () => {
  const late = fault({ plannedAt: 10_000, lateMs: 3200, lateBecause: 'process-kill-2 was not over' });
  expect(lateText(late)).toBe('begun 3.20 s later than planned (at 10.000 s): process-kill-2 was not over');
  expect(lateText(fault({ appliedAt: 10_000 }))).toBe('');
  expect(faultTimes(fault({ plannedAt: 10_000, appliedAt: 10_012 }))).toBe(
    'planned 10.000 s, applied 10.012 s (12 ms later)',
  );
});

test('an outage in which ackproof itself stood still is told with that', () => {
  const outage = { topic: 'orders', partition: 0, faultId: 'process-kill-1', from: 10, to: 5340, ms: 5330 };
  expect(outageText(outage)).toBe('5.33 s');
  expect(outageText({ ...outage, stoodStillMs: 4038 })).toBe('5.33 s (ackproof itself stood still for 4.04 s of it)');
});

test('a broker that came to be of use is told step by step, and so is one that did not come all the way', () => {
  const steps = [
    { step: 'provisioned' as const, afterMs: 210 },
    { step: 'registered' as const, afterMs: 4100 },
  ];
  const capacity = { node: 'broker/4', trigger: 'its start was ordered', partitions: 1, steps, copiedBytes: 2048 };
  expect(capacityText(fault({ capacities: [capacity] }))).toBe(
    'time until useful capacity of broker/4, since its start was ordered: its process is there 210 ms, registered 4.10 s, ' +
      'the rest was not seen, 2.0 KiB on its disks when in sync',
  );
  expect(capacityText(fault({}))).toBe('');
  const both = fault({ capacities: [capacity, { ...capacity, node: 'broker/5' }] });
  expect(capacityText(both)).toMatch(/^time .* of broker\/4, .*; time .* of broker\/5, .* when in sync$/);
});
