import { describe, expect, it } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn } from '../../test/faults/run-on.ts';
import { systemClock } from '../clock.ts';
import type { NodeId } from '../targets/target.ts';
import type { EvidenceSample, FaultContext } from './fault.ts';
import { OwnEffect } from './own-effect.ts';
import { Strikes } from './strikes.ts';

const late: EvidenceSample = { kind: 'effect', holds: true, seen: 'late' };
const quick: EvidenceSample = { kind: 'effect', holds: false, seen: 'quick' };

describe('an effect', () => {
  let struck: ReadonlySet<NodeId> = new Set();
  const effect = (): OwnEffect => {
    struck = new Set();
    return new OwnEffect({ context: { struckByOthers: () => struck } as unknown as FaultContext, openedAtMs: 5 });
  };

  it('is what is seen while no other fault has the victim in hand', () => {
    const own = effect();
    struck = new Set(['broker/2']);
    expect([own.of('broker/1', quick), own.of('broker/1', late)]).toEqual([quick, late]);
  });

  it('is not shown by what another fault may have done', () => {
    const own = effect();
    struck = new Set(['broker/1']);
    expect(own.of('broker/1', late)).toEqual({
      kind: 'effect',
      holds: false,
      seen: 'late; another fault has broker/1 in hand, and it was not shown before',
    });
  });

  it('that was shown before still counts', () => {
    const own = effect();
    own.of('broker/1', late);
    struck = new Set(['broker/1']);
    expect(own.of('broker/1', quick)).toMatchObject({
      holds: true,
      seen: expect.stringMatching(/it was shown before$/),
    });
  });
});

// Red before: an exit with 137 of a broker that another fault killed, and a probe that it left without an answer, confirmed these.
modelTest.for([
  ['disk-full', {}],
  ['memory-pressure', { limit: '100MiB' }],
  ['oom-kill', {}],
  ['cpu-throttle', { quota: '10%' }],
  ['packet-loss', { percent: '20%' }],
] as const)('%s is not confirmed while another fault has its victim in hand', async ([fault, params], { target }) => {
  const strikes = new Strikes(systemClock);
  const ready = async (): Promise<undefined> => {
    strikes.begin('process-kill-2', ['broker/2']);
    return await Promise.resolve(undefined);
  };
  const written = { fault, victim: { broker: 2 }, params, duration: '1s', confirm: { timeout: '1500ms' } };
  const { outcome } = await runOn(target, written, { strikes, ready });
  expect(outcome.confirmed).toBe(false);
  expect(outcome.reason).toContain('another fault has broker/2 in hand, and it was not shown before');
});
