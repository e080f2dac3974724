import { describe, expect, vi } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import type { ClusterReference, UndoStep } from './fault.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

const REAL = 'orders-real';
const never = new AbortController().signal;

/** What another process has: the record, and nothing of the run. */
const undoAfresh = async (steps: readonly UndoStep[]) => {
  const record = JSON.parse(JSON.stringify({ fault: 'leader-election', steps })) as Parameters<typeof leftOf>[0];
  const before = await leftOf(record, freshReach());
  const problems = await performUndo([record], freshReach(), never);
  return { before, problems, left: await leftOf(record, freshReach()) };
};

const clusterOf = (target: ModelTarget): ClusterReference => ({ bootstrap: target.evidenceBootstrap });

describe.concurrent('orders taken back by another process', () => {
  modelTest('put replicas back in their order', async ({ target }) => {
    const partition = target.cluster.topics.get(REAL)![1]!;
    const step = { do: 'restore-replicas', cluster: clusterOf(target), topic: REAL, partition: 1 } as const;
    const was = partition.replicas;
    partition.replicas = [1, 2, 3];
    const { before, problems, left } = await undoAfresh([{ ...step, replicas: was }]);
    expect(before[0]?.what).toBe('orders-real/1 is held by brokers 1, 2, 3');
    expect(before[0]?.byHand).toContain('"replicas":[2,3,1]');
    expect([problems, left]).toEqual([[], []]);
    expect(partition.replicas).toEqual(was);
  });

  modelTest('leave replicas where they are to stay, and put them back where they never came', async ({ target }) => {
    const partition = target.cluster.topics.get(REAL)![1]!;
    const step = { do: 'restore-replicas', cluster: clusterOf(target), topic: REAL, partition: 1 } as const;
    const keeping = { ...step, replicas: [2, 3], keep: [2, 1] };
    partition.replicas = [2, 1];
    expect((await undoAfresh([keeping])).left).toEqual([]);
    expect(target.cluster.acts).toEqual([]);
    partition.replicas = [3, 1];
    expect((await undoAfresh([keeping])).left).toEqual([]);
    expect(partition.replicas).toEqual([2, 3]);
  });

  // Red before: whatever a broker said instead of its partitions was taken for "the partition is gone", and that for restored.
  modelTest.for([
    ['one broker has not heard of', (broker: number) => (broker === 1 ? 3 : 0), []],
    ['nobody may see', () => 29, [/TOPIC_AUTHORIZATION_FAILED|29/]],
    [
      'one broker knows nothing of, and the others cannot tell',
      (broker: number) => (broker === 1 ? 3 : 5),
      [/5|LEADER/],
    ],
  ] as const)('put back a topic that %s, or say that they could not', async ([, code, told], { target }) => {
    const partition = target.cluster.topics.get(REAL)![1]!;
    const step = { do: 'restore-replicas', cluster: clusterOf(target), topic: REAL, partition: 1 } as const;
    const was = partition.replicas;
    partition.replicas = [1, 2, 3];
    target.cluster.metadataCodeOf = (broker) => code(broker);
    const { left } = await undoAfresh([{ ...step, replicas: was }]);
    expect(left.map(({ what }) => what)).toEqual(told.map((pattern) => expect.stringMatching(pattern) as string));
    expect(partition.replicas).toEqual(told.length === 0 ? was : [1, 2, 3]);
  });

  modelTest(
    'have nothing to do for a topic that two brokers know nothing of, unless it is moving',
    async ({ target }) => {
      const { administration, topics } = target.cluster;
      const step = { do: 'restore-replicas', cluster: clusterOf(target), topic: REAL, partition: 1 } as const;
      const wanted = [{ ...step, replicas: [2, 3] }];
      topics.get(REAL)![1]!.replicas = [2, 3];
      target.cluster.metadataCodeOf = () => 3;
      expect(await undoAfresh(wanted)).toMatchObject({ before: [], left: [] });
      administration.isStuck = true;
      administration.move(REAL, 1, [1, 3]);
      expect((await undoAfresh(wanted)).before[0]?.what).toContain('is still moving among brokers unknown');
    },
  );

  modelTest('put settings back as they were, or take them away', async ({ target }) => {
    const { settings } = target.cluster.administration;
    const step = { do: 'restore-settings', cluster: clusterOf(target), broker: 2 } as const;
    settings.set('2 message.max.bytes', '2000');
    settings.set('2 num.io.threads', '4');
    const was = { 'message.max.bytes': '60000', 'num.io.threads': null };
    const { before, left } = await undoAfresh([{ ...step, settings: was }]);
    expect(before[0]?.byHand).toMatch(/--add-config message\.max\.bytes=60000 && .*--delete-config num\.io\.threads$/);
    expect(left).toEqual([]);
    expect([...settings]).toEqual([['2 message.max.bytes', '60000']]);
  });

  modelTest('delete a topic, once', async ({ target }) => {
    target.cluster.createTopic('__ackproof-canary-1', 2);
    const step = { do: 'delete-topic', cluster: clusterOf(target), topic: '__ackproof-canary-1' } as const;
    expect(await undoAfresh([step, step])).toMatchObject({ problems: [], left: [] });
    expect([...target.cluster.topics.keys()]).toEqual([REAL]);
  });

  modelTest('are not taken back on another cluster', async ({ target }) => {
    target.cluster.createTopic('__ackproof-canary-1', 2);
    const cluster = { ...clusterOf(target), clusterId: 'the-other-one' };
    const { problems, left } = await undoAfresh([{ do: 'delete-topic', cluster, topic: '__ackproof-canary-1' }]);
    expect(problems).toHaveLength(1);
    expect(left[0]?.what).toContain('what has to be put back was done to the-other-one');
    expect([...target.cluster.topics.keys()]).toContain('__ackproof-canary-1');
  });

  modelTest('say what is left, and by which command, where nobody answers', async () => {
    const cluster = { bootstrap: [{ host: '127.0.0.1', port: 9 }] };
    const { problems, left } = await undoAfresh([{ do: 'delete-topic', cluster, topic: 'canary' }]);
    expect(problems).toHaveLength(1);
    expect(left).toEqual([
      {
        what: expect.stringMatching(/^delete-topic canary: WIRE_UNREACHABLE/) as string,
        byHand: 'kafka-topics.sh --bootstrap-server 127.0.0.1:9 --delete --topic canary',
      },
    ]);
  });
});

describe('secrets of a cluster that needs a login', () => {
  modelTest('are looked up again by their names, and are nowhere in the record', async ({ target }) => {
    const spec = {
      protocol: 'SASL_PLAINTEXT',
      sasl: { mechanism: 'PLAIN', username: 'drill', password: { env: 'ACKPROOF_TEST_PASSWORD' } },
    } as const;
    const reference = { spec, folder: '/nowhere' };
    vi.stubEnv('ACKPROOF_TEST_PASSWORD', 'not for the journal');
    expect(freshReach().security(reference)?.sasl?.password.reveal()).toBe('not for the journal');
    vi.unstubAllEnvs();
    const cluster = { bootstrap: target.evidenceBootstrap, security: reference };
    const { left } = await undoAfresh([{ do: 'delete-topic', cluster, topic: 'canary' }]);
    expect(left[0]?.what).toContain('the environment variable ACKPROOF_TEST_PASSWORD is not set');
  });
});
