import { describe, expect, it } from 'vitest';
import { type ModelTarget, TOPIC } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn, edgeNames, runOn } from '../../test/faults/run-on.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { VictimSelector } from './fault.ts';
import { whyNoLongerChosen, whyNotMeant } from './still-chosen.ts';

const never = new AbortController().signal;

describe('who is meant by a partition', () => {
  const why = (
    kind: 'leaderOf' | 'followerOf' | 'followersOf',
    brokers: readonly number[],
    leader: number | undefined = 1,
    inSync: readonly number[] = [1, 2, 3],
  ): string | undefined => whyNotMeant({ kind, topic: 'orders', partition: 0 }, brokers, { leader, inSync });

  it('is whom it meant while leadership is where it was', () => {
    expect([why('leaderOf', [1]), why('followerOf', [2]), why('followersOf', [2, 3])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(why('leaderOf', [2])).toBe('partition 0 is led by broker 1 now, and broker 2 was chosen as its leader');
    expect(why('followerOf', [1])).toBe('partition 0 is led by broker 1 now, and broker 1 was chosen as its followers');
  });

  // Red before: one that had come in sync since was spared, and the fault said to have hit every follower.
  it('is another set of followers where one has come in sync since', () => {
    expect(why('followersOf', [2])).toBe('broker 3 follows partition 0 in sync now, and would be spared');
    expect(why('followersOf', [2, 3], 1, [1, 2])).toBeUndefined();
    expect(why('followerOf', [2])).toBeUndefined();
  });

  it('is no follower in sync that has left the replicas in sync', () => {
    expect(why('followerOf', [2], 1, [1, 3])).toBe('broker 2 is no follower in sync of partition 0 any more');
    expect(why('followerOf', [2], 1, [])).toBeUndefined();
  });

  it('is nobody where the partition has no leader', () => {
    expect([why('leaderOf', [1], -1), why('followersOf', [2, 3], -1)]).toEqual(
      Array(2).fill('nobody leads partition 0 now'),
    );
  });

  it('is not doubted where nobody knows who leads, or no broker was chosen', () => {
    expect(whyNotMeant({ kind: 'leaderOf', topic: 'o', partition: 0 }, [2], { leader: undefined, inSync: [] })).toBe(
      undefined,
    );
    expect(why('leaderOf', [])).toBeUndefined();
  });
});

/** The model with two controllers, for which its brokers answer. */
const withControllers = (target: ModelTarget): StartedTarget => ({
  ...target,
  controllers: target.brokers.slice(0, 2).map(({ id, direct }) => ({ id, node: `controller/${id}`, direct })),
});

describe('asked afresh', () => {
  modelTest('are the brokers about a partition, and nobody about a broker by its id', async ({ target }) => {
    const context = contextOn(target);
    const selector: VictimSelector = { kind: 'leaderOf', topic: 'orders', partition: 0 };
    const chosen = { victims: ['broker/1'], brokers: [1] };
    expect(await whyNoLongerChosen(context, selector, chosen, never)).toBeUndefined();
    Object.assign(target.cluster.topics.get(TOPIC)?.[0] ?? {}, { leader: 2, epoch: 1 });
    expect(await whyNoLongerChosen(context, selector, chosen, never)).toContain('is led by broker 2 now');
    expect(await whyNoLongerChosen(context, { kind: 'broker', id: 1 }, chosen, never)).toBeUndefined();
  });

  // Red before for controllers-minority: a side that led the quorum no more was cut off as the one that does.
  modelTest('are the controllers, where there are several', async ({ target }) => {
    const chosen = { victims: ['controller/1'], brokers: [] };
    const ask = async (on: StartedTarget): Promise<readonly (string | undefined)[]> =>
      await Promise.all(
        (['controller', 'controllers', 'controllers-minority'] as const).map(
          async (kind) => await whyNoLongerChosen(contextOn(on), { kind }, chosen, never),
        ),
      );
    expect(new Set([...(await ask(target)), ...(await ask(withControllers(target)))])).toEqual(new Set([undefined]));
    target.cluster.administration.quorumLeader = 2;
    const moved = 'controller/2 leads the quorum of controllers now, and controller/1 was chosen';
    expect(await ask(withControllers(target))).toEqual([moved, moved, moved]);
    await Promise.all(target.cluster.brokers.map(async (broker) => await broker.die()));
    const nobody = expect.stringMatching(/^nobody says whether controller\/1 is still meant: /) as unknown;
    expect(await ask(withControllers(target))).toEqual([nobody, nobody, nobody]);
    await Promise.all(target.cluster.brokers.map(async (broker) => await broker.listen()));
  });
});

// Red before: the controller that had led five seconds ago was killed, and the report said that the leading one was.
modelTest('a fault on the leading controller is not made where another one leads by its moment', async ({ target }) => {
  const kill = { fault: 'process-kill', victim: { controller: 'leader' }, duration: '100ms' };
  const ready = async (): Promise<undefined> => {
    target.cluster.administration.quorumLeader = 2;
    return await Promise.resolve(undefined);
  };
  const seen = await runOn(withControllers(target), kill, { ready });
  expect(edgeNames(seen)).toEqual(['intent', 'unconfirmed', 'healing', 'healed']);
  expect(seen.outcome.reason).toContain('not applied: controller/2 leads the quorum of controllers now');
  expect(target.cluster.acts).toEqual([]);
});

// Red before: while a pass reads, nobody watches who leads.
modelTest('a fault of a replay pass asks by itself who leads', async ({ target }) => {
  const at = { pass: 'full', offset: '0s' };
  const kill = { fault: 'process-kill', victim: { leaderOf: 'orders/0' }, duration: '100ms', at };
  const ready = async (): Promise<undefined> => {
    Object.assign(target.cluster.topics.get(TOPIC)?.[0] ?? {}, { leader: 2, epoch: 1 });
    return await Promise.resolve(undefined);
  };
  const seen = await runOn(target, kill, { ready });
  expect(seen.outcome.reason).toContain('not applied: partition 0 is led by broker 2 now');
  expect(target.cluster.acts).toEqual([]);
});
