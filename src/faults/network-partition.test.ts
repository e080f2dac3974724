import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe('network-partition', () => {
  modelTest.for([
    { direction: 'outgoing', cut: ['internal-2-1', 'internal-2-3'] },
    { direction: 'incoming', cut: ['internal-1-2', 'internal-3-2'] },
  ])('$direction cuts $cut, and the ways back stay open', async ({ direction, cut }, { target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'network-partition',
      victim: { broker: 2 },
      params: { direction, from: 'brokers' },
      duration: '1m',
    });
    expect(outcome.reason).toBeUndefined();
    const changed = samples.filter(({ kind, seen }) => kind === 'mechanism' && seen.includes('reads back timeout'));
    expect(new Set(changed.map(({ seen }) => seen.split(' ')[0]))).toEqual(new Set(cut));
    const silent = samples.filter(({ kind, holds, seen }) => kind === 'effect' && holds && seen.includes('timeout'));
    expect(silent.length).toBeGreaterThan(0);
  });

  modelTest('has a control that neither comes from the victim nor leads to it', async ({ target }) => {
    const { samples } = await runUntil(target, {
      fault: 'network-partition',
      victim: { broker: 1 },
      params: { from: 'brokers' },
      duration: '1m',
    });
    const controls = new Set(samples.filter(({ kind }) => kind === 'control').map(({ seen }) => seen.split(':')[0]));
    expect([...controls].filter((name) => name?.startsWith('internal'))).toEqual(['internal of broker/2']);
  });
});
