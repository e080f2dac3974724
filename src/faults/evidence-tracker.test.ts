import { describe, expect, it } from 'vitest';
import { EvidenceTracker } from './evidence-tracker.ts';
import type { EvidenceSample } from './fault.ts';

const round = (m: boolean, e: boolean, c: boolean): readonly EvidenceSample[] => [
  { kind: 'mechanism', holds: m, seen: 'the mechanism' },
  { kind: 'effect', holds: e, seen: 'the effect' },
  { kind: 'control', holds: c, seen: 'the control' },
];

describe('the evidence tracker', () => {
  it('confirms by one round in which all three hold, and keeps its window to rounds like that', () => {
    const tracker = new EvidenceTracker('all');
    expect(tracker.add(0, round(true, false, true)).state).toBe('unknown');
    expect(tracker.add(250, round(true, true, true)).state).toBe('confirmed');
    tracker.add(500, round(true, true, true));
    tracker.add(750, round(true, false, true));
    expect(tracker.window).toEqual({ fromMs: 250, toMs: 500 });
  });

  it('needs every sample of a kind to hold, and a kind that was not sampled never does', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, [...round(true, true, true), { kind: 'effect', holds: false, seen: 'one broker is still reached' }]);
    expect(tracker.progress.state).toBe('unknown');
    expect(tracker.missing).toBe('effect: one broker is still reached');
    tracker.add(1, round(true, true, true).slice(0, 2));
    expect(tracker.missing).toBe('scope: control: not sampled');
    tracker.add(2, []);
    expect(tracker.isMet).toBe(false);
  });

  it('ends early after two rounds without mechanism or effect, not after one', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, round(true, true, true));
    tracker.add(1, round(true, false, true));
    tracker.add(2, round(true, true, true));
    tracker.add(3, round(false, true, true));
    expect(tracker.isMet).toBe(true);
    tracker.add(4, round(false, true, true));
    expect(tracker.progress).toEqual({ state: 'ended', reason: 'ended-early: the mechanism' });
    tracker.add(5, round(true, true, true));
    expect(tracker.isMet).toBe(false);
  });

  it('calls a control that stays broken a matter of scope', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, round(true, true, true));
    for (let at = 1; at <= 4; at++) tracker.add(at, round(true, true, false));
    expect(tracker.progress).toEqual({ state: 'ended', reason: 'scope: the control' });
  });
});
