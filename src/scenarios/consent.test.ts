import { expect, test } from 'vitest';
import { composeSpecSchema, type TargetSpec } from '../targets/target-spec.ts';
import { assertConsent } from './consent.ts';
import { loadScenario } from './loader.ts';

const leaderKill = loadScenario('scenarios/leader-kill.yaml');
const compose = (more: object): TargetSpec =>
  composeSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'compose', project: 'shop', ...more });

test('a project that runs already is broken only with --yes, or where its file names the fault', () => {
  const attached = { ...leaderKill, target: compose({ attach: true }) };
  expect(() => assertConsent(attached, false)).toThrow(
    'The project "shop" is not ackproof\'s own, and leader-kill would do this to it: process-kill.',
  );
  expect(() => assertConsent(attached, true)).not.toThrow();
  const named = { ...leaderKill, target: compose({ attach: true, allowFaults: ['process-kill'] }) };
  expect(() => assertConsent(named, false)).not.toThrow();
  const other = { ...leaderKill, target: compose({ attach: true, allowFaults: ['node-loss'] }) };
  expect(() => assertConsent(other, false)).toThrow();
});

test('what is made for the run needs no word, and neither does a baseline', () => {
  expect(() => assertConsent(leaderKill, false)).not.toThrow();
  expect(() => assertConsent({ ...leaderKill, target: compose({}) }, false)).not.toThrow();
  const baseline = loadScenario('scenarios/baseline.yaml');
  expect(() => assertConsent({ ...baseline, target: compose({ attach: true }) }, false)).not.toThrow();
});
