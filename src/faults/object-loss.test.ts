import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget } from '../../test/faults/model-target.ts';
import { edgeNames, runOn } from '../../test/faults/run-on.ts';

let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

const never = new AbortController().signal;
const idOf = (topic: string): string => Buffer.from(topic.padEnd(16, '.').slice(-16)).toString('base64url');
const fill = async (topic: string, partition: number, objects: number): Promise<void> => {
  for (let index = 0; index < objects; index++) {
    await target.can.objectStore.put(`data/${idOf(topic)}/${partition}/${index * 10}`, Buffer.from('x'), never);
  }
};
const keysLeft = async (): Promise<readonly string[]> =>
  (await target.can.objectStore.list('data/', never)).map(({ key }) => key);
const lose = { fault: 'object-loss', allow: ['destroy-state'] };

describe('object-loss', () => {
  it('deletes as many data objects as asked, of the partition asked, and puts nothing back', async () => {
    await fill('orders-real', 0, 3);
    await fill('orders-real', 1, 5);
    const seen = await runOn(target, { ...lose, victim: { leaderOf: 'orders/1' }, params: { count: 2 } });
    expect(edgeNames(seen)).toEqual(['intent', 'applied', 'confirmed']);
    expect(seen.outcome).toMatchObject({ confirmed: true, healed: 'nothing-to-heal' });
    const left = await keysLeft();
    expect(left.filter((key) => key.includes('/0/'))).toHaveLength(
      3 + (left.includes(`data/${idOf('orders-real')}/1/0`) ? 0 : 0),
    );
    expect(left).toHaveLength(6);
  });

  it('never takes the canary’s own objects for the workload’s', async () => {
    target.cluster.createTopic('__canary', 1);
    await fill('__canary', 0, 4);
    await fill('orders-real', 2, 1);
    await runOn(target, lose);
    expect(await keysLeft()).toHaveLength(4);
    expect((await keysLeft()).every((key) => key.includes(idOf('__canary')))).toBe(true);
  });

  it('waits for the first upload, which lags behind by design', async () => {
    const upload = setTimeout(() => void fill('orders-real', 0, 2), 600);
    const { outcome } = await runOn(target, lose);
    clearTimeout(upload);
    expect(outcome.confirmed).toBe(true);
  });
});
