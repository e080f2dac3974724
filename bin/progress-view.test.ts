import { expect, test } from 'vitest';
import { captureStderr } from '../test/support/captured-stderr.ts';
import { ProgressView } from './progress-view.ts';

const RUN = '2026-01-02T03-04-05Z-leader-kill-0abc';
const STARTED = {
  kind: 'started',
  scenario: 'leader-kill',
  seed: 42,
  runDirectory: `/runs/${RUN}`,
  target: 'embedded',
  defects: [],
  baseline: false,
} as const;
const LOAD = {
  kind: 'load',
  part: 'main',
  load: { sent: 10, acked: 7, unknown: 2, failed: 1, ackedPerSecond: 100, oldest: undefined },
} as const;

const written = captureStderr();
const said = (): string => written().join('');

/** A view on a screen of the given kind, whose clock stands still. */
const viewOn = (live: boolean, width = 80): ProgressView =>
  new ProgressView({ live, colour: false, width }, 'text', () => 0);

test('a phase is told with the name of its part and its length in seconds', () => {
  viewOn(false).take({ kind: 'phase', part: 'control', phase: 'steady', plannedMs: 1500 });
  expect(said()).toBe('   0.0 s  control run: steady for 1.5 s\n');
});

test('a run without a fault is not called one with a fault', () => {
  const view = viewOn(false);
  view.take({ ...STARTED, baseline: true });
  view.take({ kind: 'phase', part: 'main', phase: 'steady', plannedMs: 0 });
  expect(said()).toContain('baseline run: steady');
  expect(said()).not.toContain('fault run');
});

test('a phase that has no length of its own tells none', () => {
  viewOn(false).take({ kind: 'phase', part: 'preflight', phase: 'warm-up', plannedMs: 0 });
  expect(said()).toBe('   0.0 s  honesty check: warm-up\n');
});

test('topics of the run are told by their names in the scenario, others as they are', () => {
  const view = viewOn(false);
  view.take(STARTED);
  view.take({ kind: 'note', text: `lost in ackproof-${RUN}-main-orders/0 and ackproof-other-main-orders/0` });
  expect(said()).toContain('lost in orders/0 and ackproof-other-main-orders/0');
});

test('the proof of a fault is told in words', () => {
  const fault = { kind: 'fault', id: 'process-kill-1', fault: 'process-kill', victims: ['broker/1'] } as const;
  viewOn(false).take({ ...fault, edge: 'confirmed', detail: 'M: process 7 is gone · E: refused' });
  expect(said()).toContain('process-kill-1 on broker/1: confirmed: mechanism: process 7 is gone · effect: refused\n');
});

test('the live line is no wider than the screen and is removed at the end', () => {
  const view = viewOn(true, 20);
  view.take(LOAD);
  expect(said()).toBe('\r\u001b[K   0.0 s  fault run');
  view.end();
  expect(written().at(-1)).toBe('\r\u001b[K');
});

test('where nobody watches, load is not told at every tick', () => {
  viewOn(false).take(LOAD);
  expect(said()).toBe('');
});

test('a control character in a note cannot reach the terminal', () => {
  viewOn(false).take({ kind: 'note', text: 'a\u001b[2Jb' });
  expect(said()).toContain('a\\u001b[2Jb');
});
