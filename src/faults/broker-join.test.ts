import { describe, expect } from 'vitest';
import { TOPIC } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const join = { fault: 'broker-join', victim: { leaderOf: 'orders/1' }, confirm: { timeout: '20s' } };

describe.concurrent('broker-join', () => {
  modelTest('starts a spare broker, has it lead its share, and puts everything back', async ({ target }) => {
    const replicas = () => (target.cluster.topics.get(TOPIC) ?? []).map((partition) => partition.replicas);
    const before = replicas();
    const { outcome, samples } = await runUntil(target, join);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/4'] });
    expect(target.cluster.acts).toEqual([
      'start broker/4',
      `reassign ${TOPIC}/1 to 4,3,1`,
      `reassign ${TOPIC}/1 to ${before[1]?.join(',') ?? ''}`,
      'terminate broker/4',
    ]);
    expect(replicas()).toEqual(before);
    const seen = samples.filter(({ holds }) => holds).map((sample) => `${sample.kind}: ${sample.seen}`);
    expect(seen).toContain('mechanism: broker/4 is running, and named by the others');
    expect(seen).toContain('effect: broker/4 leads 1 of 1 partitions');
    expect(seen).toContain('control: 5 other partitions keep their replicas');
  });

  modelTest('is about the partitions that move: by their former leader', async ({ target }) => {
    const { edges } = await runUntil(target, join);
    expect(edges.at(-1)).toMatchObject({ victims: ['broker/4'], brokers: [2] });
  });

  modelTest('tells how long the newcomer took to be of use, step by step', async ({ target }) => {
    const [partition] = target.cluster.topics.get(TOPIC)?.slice(1) ?? [];
    partition?.batches.push(Buffer.from('the oldest records'));
    const { outcome } = await runUntil(target, join);
    expect(outcome.capacities).toMatchObject([{ node: 'broker/4', trigger: 'its start was ordered', partitions: 1 }]);
    const steps = outcome.capacities?.[0]?.steps ?? [];
    expect(steps.map(({ step }) => step)).toEqual([
      ...['provisioned', 'registered', 'assigned', 'in-sync', 'first-request', 'first-cold-fetch', 'full-share'],
    ]);
    const times = steps.map(({ afterMs }) => afterMs);
    expect([...times].sort((one, other) => one - other)).toEqual(times);
    expect((times.at(-1) ?? 0) - (times.at(-2) ?? 0)).toBeGreaterThanOrEqual(1900);
    expect(outcome.capacities?.[0]?.copiedBytes).toBe('the oldest records'.length);
  });

  modelTest('moves as many partitions as are asked for', async ({ target }) => {
    await runUntil(target, { ...join, params: { partitions: 2 } });
    expect(target.cluster.acts.filter((act) => act.includes('to 4,'))).toEqual([
      `reassign ${TOPIC}/1 to 4,3,1`,
      `reassign ${TOPIC}/2 to 4,1,2`,
    ]);
  });

  modelTest('is unconfirmed while others lead what it is to lead', async ({ target }) => {
    target.cluster.administration.isStuck = true;
    const { outcome } = await runOn(target, { ...join, duration: '300ms', confirm: { timeout: '1s' } });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toContain('broker/4 leads 0 of 1 partitions');
    expect(outcome.capacities?.[0]?.steps.map(({ step }) => step)).toEqual(['provisioned', 'registered']);
  });

  modelTest('is not begun where every spare broker runs, or none would be left to compare with', async ({ target }) => {
    const everything = await runOn(target, { ...join, duration: '1s', params: { partitions: 6 } });
    expect(everything.outcome.reason).toContain('none is left to compare with');
    await target.can.processes.start('broker/4', new AbortController().signal);
    const { outcome } = await runOn(target, { ...join, duration: '1s' });
    expect(outcome.reason).toContain('Every spare broker of the target runs already');
    expect(outcome.healed).toBe('nothing-to-heal');
  });

  // Red before: it was stopped three seconds after its partitions had been ordered back, wherever they were by then.
  modelTest('does not stop the newcomer while it holds a partition', async ({ target }) => {
    const { administration, acts } = target.cluster;
    const { outcome } = await runOn(
      target,
      { ...join, duration: '100ms', heal: { timeout: '5s' } },
      {
        onEdge: ({ edge }) => {
          if (edge === 'healing') administration.isStuck = true;
        },
      },
    );
    expect(outcome.healed).toBe('heal-failed');
    expect(acts).toContain('start broker/4');
    expect(acts).not.toContain('terminate broker/4');
  });

  // Red before: the only copy was moved to it, and could not leave it again once it was stopped.
  modelTest('is refused where a partition has one replica', async ({ target }) => {
    target.cluster.topics.get(TOPIC)![1]!.replicas = [2];
    const { outcome } = await runOn(target, { ...join, duration: '1s' });
    expect(outcome.reason).toContain('has one replica');
    expect(target.cluster.acts).toEqual([]);
  });
});
