import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';
import type { JournalEdge } from './fault.ts';

const loop = { fault: 'crash-loop', victim: { broker: 2 }, params: { times: 3, interval: '10ms' } };
const CYCLE = ['kill broker/2', 'start broker/2'];

describe.concurrent('crash-loop', () => {
  modelTest('kills as often as asked, starts in between, and once more at its end', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, loop);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
    expect(target.cluster.acts).toEqual([...CYCLE, ...CYCLE, ...CYCLE]);
    const proof = samples.find(({ kind, holds }) => kind === 'mechanism' && holds);
    expect(proof?.seen).toMatch(/^broker\/2 died 3 of 3 times \(\d+, \d+, \d+\) and is stopped$/);
  });

  modelTest('is applied by its first death', async ({ target }) => {
    const acts: number[] = [];
    const onEdge = ({ edge }: JournalEdge): void => {
      if (edge === 'applied') acts.push(target.cluster.acts.length);
    };
    await runUntil(target, loop, {}, { onEdge });
    expect(acts).toHaveLength(1);
    expect(acts[0]).toBeLessThanOrEqual(CYCLE.length);
  });

  // The watchdog must not take a loop that is still going on for a fault that hangs.
  modelTest('tells the watchdog of the time that the loop itself takes', async ({ target }) => {
    const { edges } = await runOn(target, { ...loop, duration: '100ms' });
    const [intent] = edges;
    const plannedMs = (intent?.expires ?? 0) - Date.parse(intent?.wall ?? '');
    expect(plannedMs).toBeGreaterThan(2 * 60_000);
  });

  modelTest('does not count a death that nobody saw', async ({ target }) => {
    const { processes } = target.can;
    let asked = 0;
    // The second process is not seen before it is killed.
    const identity: typeof processes.identity = async (node) =>
      node === 'broker/2' && target.cluster.acts.length === 2 && asked++ === 0
        ? undefined
        : await processes.identity(node);
    const blind = { ...target, can: { ...target.can, processes: { ...processes, identity } } };
    const { outcome } = await runUntil(blind, loop, { seen: /died 2 of 3 times/ });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.healed).toBe('healed');
  });

  modelTest('refuses to take every broker down', async ({ target }) => {
    const { outcome } = await runOn(target, { ...loop, victim: { random: 3 }, duration: '1s' });
    expect(outcome.reason).toContain('every broker of the cluster down at once');
    expect(target.cluster.acts).toEqual([]);
  });
});
