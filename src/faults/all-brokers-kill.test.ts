import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';
import type { JournalEdge } from './fault.ts';

const kill = { fault: 'all-brokers-kill', allow: ['full-outage'] };

describe.concurrent('all-brokers-kill', () => {
  modelTest('takes every broker down together while the object store stays', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, kill);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/1', 'broker/2', 'broker/3'] });
    expect(target.cluster.acts.slice(0, 3).sort()).toEqual(['kill broker/1', 'kill broker/2', 'kill broker/3']);
    expect(
      samples.some(({ kind, seen }) => kind === 'control' && seen.startsWith('the object store directly: ok')),
    ).toBe(true);
  });

  modelTest(
    'takes the volume process down with them where that is asked for, and starts it first',
    async ({ target }) => {
      const { outcome } = await runUntil(target, { ...kill, params: { volume: true } });
      const victims = ['broker/1', 'broker/2', 'broker/3', 'volume'];
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims });
      expect(target.cluster.acts.slice(0, 4).sort()).toEqual(victims.map((node) => `kill ${node}`).sort());
      expect(target.cluster.acts[4]).toBe('start volume');
    },
  );

  modelTest('refuses a target without a volume process where that is asked for', async ({ target }) => {
    const nodes = target.can.processes.nodes.filter((node) => node !== 'volume');
    const processes = { ...target.can.processes, nodes };
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, processes } },
      { ...kill, duration: '1s', params: { volume: true } },
    );
    expect(outcome.reason).toMatch(/volume/);
    expect(target.cluster.acts).toEqual([]);
  });

  modelTest('waits between the deaths where the scenario says so, and counts that as together', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { ...kill, params: { stagger: '100ms' } });
    expect(outcome.confirmed).toBe(true);
    const took = samples
      .map(({ seen }) => /^all killed within (\d+) ms/.exec(seen)?.[1])
      .find((ms) => ms !== undefined);
    expect(Number(took)).toBeGreaterThanOrEqual(200);
  });

  modelTest('is applied when the first of them dies', async ({ target }) => {
    const acts: number[] = [];
    const onEdge = ({ edge }: JournalEdge): void => {
      if (edge === 'applied') acts.push(target.cluster.acts.length);
    };
    await runUntil(target, { ...kill, params: { stagger: '100ms' } }, {}, { onEdge });
    expect(acts).toEqual([1]);
  });
});
