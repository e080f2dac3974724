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

  it('ends early after four rounds without effect: what a canary sees depends on how busy the machine is', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, round(true, true, true));
    for (let at = 1; at <= 3; at++) expect(tracker.add(at, round(true, false, true)).state).toBe('confirmed');
    expect(tracker.add(4, round(true, false, true))).toEqual({ state: 'ended', reason: 'ended-early: the effect' });
  });

  it('takes a round that could not be made for no proof that a fault ended, and four of them for a matter of scope', () => {
    const failed = [{ kind: 'control', holds: false, seen: 'no broker answers' }] as const;
    const tracker = new EvidenceTracker('all');
    tracker.add(0, failed);
    expect(tracker.missing).toBe('scope: control: no broker answers');
    tracker.add(1, round(true, true, true));
    for (let at = 2; at <= 4; at++) expect(tracker.add(at, failed).state).toBe('confirmed');
    expect(tracker.add(5, failed)).toEqual({ state: 'ended', reason: 'scope: no broker answers' });
  });

  it('does not go on for ever without looking at a kind at all', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, round(true, true, true));
    const blind = [round(true, true, true)[0], round(true, true, true)[2]].filter((each) => each !== undefined);
    for (let at = 1; at <= 3; at++) expect(tracker.add(at, blind).state).toBe('confirmed');
    expect(tracker.add(4, blind)).toEqual({ state: 'ended', reason: 'scope: effect was not sampled' });
  });

  it('has ended once a fact that can change no more speaks against what is required, and only then', () => {
    const moved: EvidenceSample = { kind: 'effect', holds: false, isFinal: true, seen: 'had not moved' };
    const all = new EvidenceTracker('all');
    expect(all.add(0, [...round(true, true, true), { ...moved, holds: true }]).state).toBe('confirmed');
    const refuted = new EvidenceTracker('all');
    expect(refuted.add(0, [...round(true, true, true), moved])).toEqual({
      state: 'ended',
      reason: 'effect: had not moved',
    });
    const mechanism = new EvidenceTracker('mechanism');
    expect(mechanism.add(0, [...round(true, true, true), moved]).state).toBe('unknown');
    expect(mechanism.isMet).toBe(true);
  });

  it('ends early after two rounds without mechanism, not after one', () => {
    const tracker = new EvidenceTracker('all');
    tracker.add(0, round(true, true, true));
    tracker.add(1, round(false, true, true));
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
