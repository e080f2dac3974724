import { describe, expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const REAL = 'orders-real';
const victim = { leaderOf: 'orders/5' };

/** The partition that broker 2 has no replica of. */
const narrowed = (target: ModelTarget) => {
  const partition = target.cluster.topics.get(REAL)![5]!;
  partition.replicas = [3, 1];
  return partition;
};

describe.concurrent('partition-reassignment', () => {
  modelTest('moves a replica to another broker and back', async ({ target }) => {
    const partition = narrowed(target);
    const fault = { fault: 'partition-reassignment', victim, params: { to: [3, 2] } };
    const { outcome, samples } = await runUntil(target, fault);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/3'] });
    expect(outcome.chosen).toBe('orders/5, from brokers 3, 1 to 3, 2');
    expect(target.cluster.acts).toEqual([`reassign ${REAL}/5 to 3,2`, `reassign ${REAL}/5 to 3,1`]);
    expect(partition.replicas).toEqual([3, 1]);
    const seen = samples.map((sample) => sample.seen).join('\n');
    expect(seen).toContain('orders/5 is held by 3, 2 (was 3, 1)');
    expect(seen).toContain('orders/5 is in sync on 2, 3, led by 3 in epoch 0');
    expect(seen).toMatch(/broker 2 has \d+ bytes of orders\/5/);
  });

  modelTest('moves the leader, too, where it is not to hold it any more', async ({ target }) => {
    const partition = narrowed(target);
    await runUntil(target, { fault: 'partition-reassignment', victim, params: { to: [1, 2] } });
    expect(partition).toMatchObject({ leader: 1, epoch: 1, replicas: [3, 1] });
  });

  modelTest('chooses who comes and who goes where nobody is named, but lets the leader be', async ({ target }) => {
    narrowed(target);
    const { outcome } = await runUntil(target, { fault: 'partition-reassignment', victim });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(outcome.chosen).toBe('orders/5, from brokers 3, 1 to 3, 2');
  });

  modelTest('refuses to choose where every broker holds it', async ({ target }) => {
    const { outcome } = await runOn(target, { fault: 'partition-reassignment', victim, duration: '1s' });
    expect(outcome.reason).toContain('Every broker holds orders/5');
  });

  modelTest('stays where it was moved to when it is to be kept there', async ({ target }) => {
    const partition = narrowed(target);
    const fault = { fault: 'partition-reassignment', victim, params: { to: [3, 2], keep: true } };
    const { outcome } = await runUntil(target, fault);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(target.cluster.acts).toEqual([`reassign ${REAL}/5 to 3,2`]);
    expect(partition.replicas).toEqual([3, 2]);
  });

  modelTest('is not confirmed while the data is on its way', async ({ target }) => {
    narrowed(target);
    target.cluster.administration.isStuck = true;
    const moving = /orders\/5 is still moving among/;
    const fault = { fault: 'partition-reassignment', victim, params: { to: [3, 2] } };
    const { outcome } = await runUntil(target, fault, { seen: moving });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(moving);
    expect(outcome.healed).toBe('healed');
  });

  modelTest.for([
    { to: [3, 9], why: 'there is no broker 9' },
    { to: [1, 2, 3], why: 'it has 2 replicas' },
    { to: [1, 3], why: 'they hold it already' },
  ])('refuses brokers $to', async ({ to, why }, { target }) => {
    narrowed(target);
    const fault = { fault: 'partition-reassignment', victim, params: { to }, duration: '1s' };
    const { outcome } = await runOn(target, fault);
    expect(outcome.reason).toContain(why);
    expect(target.cluster.acts).toEqual([]);
  });
});
