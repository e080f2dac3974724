import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn, definitionOf, runUntil, specOf } from '../../test/faults/run-on.ts';
import { faultSchema } from './fault-schema.ts';

const RATE = 8 * 1024;
const limit = (params: Record<string, string>) => ({
  fault: 'bandwidth-limit',
  victim: { broker: 2 },
  params: { rate: '8KiB', ...params },
});

/** Bytes a second, as evidence says it. */
const rateIn = (seen: string): number => {
  const [, number = '', unit = ''] = /, ([\d.]+)(B|KiB|MiB)\/s$/.exec(seen) ?? [];
  return Number(number) * ({ B: 1, KiB: 1024, MiB: 1024 ** 2 }[unit] ?? Number.NaN);
};

describe.concurrent('bandwidth-limit', () => {
  modelTest.for([
    { path: 'client', direction: 'downstream' },
    { path: 'client', direction: 'both' },
    { path: 'internal', direction: 'upstream' },
    { path: 'controller', direction: 'upstream' },
    { path: 's3-data', direction: 'both' },
    { path: 's3-wal', direction: 'upstream' },
    { path: 'wal', direction: 'upstream' },
  ])('holds $path to the rate, $direction, and nothing else', async (params, { target }) => {
    const { outcome, samples } = await runUntil(target, limit(params));
    expect(outcome, outcome.reason).toMatchObject({ confirmed: true, healed: 'healed' });
    const { fromMs = 0, toMs = 0 } = outcome.window ?? {};
    const inWindow = samples.filter(({ at }) => at >= fromMs && at <= toMs);
    const effects = inWindow.filter(({ kind }) => kind === 'effect');
    expect(effects.length).toBeGreaterThan(0);
    for (const { seen } of effects) expect(rateIn(seen), seen).toBeLessThanOrEqual(1.2 * RATE);
    const controls = inWindow.filter(({ kind, seen }) => kind === 'control' && seen.endsWith('/s'));
    expect(controls.length).toBeGreaterThan(0);
    for (const { seen } of controls) expect(rateIn(seen), seen).toBeGreaterThan(1.2 * RATE);
  });

  modelTest('says of the proxy that it reads back the rate in whole kilobytes, and never more', async ({ target }) => {
    const { edges, samples } = await runUntil(target, limit({}));
    const link = target.can.links.all.find((each) => each.path === 'client' && each.node === 'broker/2');
    const [step] = edges[0]?.undo?.steps ?? [];
    expect(step).toMatchObject({ do: 'restore-proxy', toxics: ['ackproof-test-run-1-bandwidth-downstream'] });
    const proofs = samples.filter(({ kind, holds }) => kind === 'mechanism' && holds);
    expect(proofs[0]?.seen).toBe(`${link?.proxy ?? ''} reads back bandwidth downstream`);
  });

  // A limit that the path never comes near would be "confirmed" by nothing but a slow machine.
  modelTest('is refused where the path carries too little for the limit to be told', async ({ target }) => {
    const spec = specOf({ ...limit({ rate: '10MB', path: 'controller' }), duration: '1m' });
    const never = new AbortController().signal;
    const preparing = definitionOf('bandwidth-limit').prepare(contextOn(target), spec.victim, spec.params, never);
    await expect(preparing).rejects.toThrow(/carries only .*\/s of a canary, so a limit of 9\.54MiB\/s could not be/);
  });

  modelTest('takes a size with a unit, within what a proxy can hold', () => {
    const problems = (rate: unknown): string =>
      faultSchema
        .safeParse({ ...limit({}), params: { rate }, at: '1s', duration: '1s' })
        .error?.issues.map((issue) => issue.message)
        .join() ?? '';
    expect(problems('64KiB')).toBe('');
    expect(problems(64)).toMatch(/has no unit/);
    expect(problems('100B')).toMatch(/1KB to 10MB/);
  });
});
