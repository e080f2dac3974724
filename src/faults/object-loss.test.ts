import { describe, expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { edgeNames, runUntil } from '../../test/faults/run-on.ts';

const never = new AbortController().signal;
const idOf = (topic: string): string => Buffer.from(topic.padEnd(16, '.').slice(-16)).toString('base64url');
const fill = async (target: ModelTarget, topic: string, partition: number, objects: number): Promise<void> => {
  for (let index = 0; index < objects; index++) {
    await target.can.objectStore.put(`data/${idOf(topic)}/${partition}/${index * 10}`, Buffer.from('x'), never);
  }
};
const keysLeft = async (target: ModelTarget): Promise<readonly string[]> =>
  (await target.can.objectStore.list('data/', never)).map(({ key }) => key);
const lose = { fault: 'object-loss', allow: ['destroy-state'] };

describe.concurrent('object-loss', () => {
  modelTest(
    'deletes as many data objects as asked, of the partition asked, and puts nothing back',
    async ({ target }) => {
      await fill(target, 'orders-real', 0, 3);
      await fill(target, 'orders-real', 1, 5);
      const seen = await runUntil(target, { ...lose, victim: { leaderOf: 'orders/1' }, params: { count: 2 } });
      expect(edgeNames(seen)).toEqual(['intent', 'applied', 'confirmed']);
      expect(seen.outcome).toMatchObject({ confirmed: true, healed: 'nothing-to-heal' });
      const left = await keysLeft(target);
      expect(left.filter((key) => key.startsWith(`data/${idOf('orders-real')}/0/`))).toHaveLength(3);
      expect(left).toHaveLength(6);
    },
  );

  modelTest('never takes the canary’s own objects for the workload’s', async ({ target }) => {
    target.cluster.createTopic('__canary', 1);
    await fill(target, '__canary', 0, 4);
    await fill(target, 'orders-real', 2, 1);
    await runUntil(target, lose);
    expect(await keysLeft(target)).toHaveLength(4);
    expect((await keysLeft(target)).every((key) => key.includes(idOf('__canary')))).toBe(true);
  });

  modelTest('waits for the first upload, which lags behind by design', async ({ target }) => {
    const upload = setTimeout(() => void fill(target, 'orders-real', 0, 2), 600);
    const { outcome } = await runUntil(target, lose);
    clearTimeout(upload);
    expect(outcome.confirmed).toBe(true);
  });
});
