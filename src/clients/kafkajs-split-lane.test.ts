import { afterEach, expect, test } from 'vitest';
import { batch } from '../../test/clients/client-fixture.ts';
import { FakeCluster, type Hook, TOPIC } from '../../test/support/fake-cluster.ts';
import { APACHE_KAFKA_PROFILE } from '../outcomes.ts';
import { type DecodedRequest, encodeResponseFrame } from '../wire/protocol.ts';
import type { SplitLane } from './client.ts';
import { openKafkaJsSplitLane } from './kafkajs-lane.ts';

const NOT_LEADER = 6;

/** Two brokers and two partitions, led by whom the test says. */
class TwoPartitions {
  readonly leaders = [1, 2];
  readonly stored: string[] = [];
  readonly cluster: FakeCluster;
  readonly lane: SplitLane;

  private constructor(cluster: FakeCluster) {
    this.cluster = cluster;
    cluster.hook = this.#hook;
    this.lane = openKafkaJsSplitLane({
      bootstrap: cluster.bootstrap,
      clientId: 'split-test',
      topic: TOPIC,
      partitions: [0, 1],
      acks: 'all',
      idempotence: false,
      retry: 'none',
      attemptTimeoutMs: 5000,
      deliveryTimeoutMs: 5000,
      profile: APACHE_KAFKA_PROFILE,
    });
  }

  static async start(): Promise<TwoPartitions> {
    return new TwoPartitions(await FakeCluster.start(2));
  }

  readonly #hook: Hook = (request, broker) => {
    if (request.api === 'Metadata') return { raw: this.#metadata(request) };
    return request.api === 'Produce' ? { raw: this.#produced(request, broker.id) } : 'serve';
  };

  #metadata({ version, correlationId }: DecodedRequest): Buffer {
    const brokers = this.cluster.brokers.map(({ id, port }) => ({ nodeId: id, host: '127.0.0.1', port }));
    const partitions = this.leaders.map((leaderId, partitionIndex) => ({
      ...{ errorCode: 0, partitionIndex, leaderId, replicaNodes: [1, 2], isrNodes: [1, 2] },
    }));
    const topics = [{ errorCode: 0, name: TOPIC, partitions }];
    return encodeResponseFrame('Metadata', version, correlationId, { brokers, controllerId: 1, topics });
  }

  #produced({ version, correlationId, body }: Extract<DecodedRequest, { api: 'Produce' }>, broker: number): Buffer {
    const partitionResponses = body.topicData.flatMap(({ partitionData }) =>
      partitionData.map(({ index }) => {
        const leads = this.leaders[index] === broker;
        if (leads) this.stored.push(`${index} at broker ${broker}`);
        return { index, errorCode: leads ? 0 : NOT_LEADER, baseOffset: leads ? 7 : -1 };
      }),
    );
    const responses = [{ name: TOPIC, partitionResponses }];
    return encodeResponseFrame('Produce', version, correlationId, { responses });
  }
}

let two: TwoPartitions | undefined;
afterEach(async () => {
  await two?.lane.close();
  await two?.cluster.stop();
});

test('one call for two partitions is two acknowledgements, each with its own attempts', async () => {
  two = await TwoPartitions.start();
  const ok = { outcome: 'ok', attempts: 1, tainted: false, baseOffset: 7 };
  expect(await two.lane.send([batch('a'), batch('b')])).toEqual([ok, ok]);
  expect(two.stored.sort()).toEqual(['0 at broker 1', '1 at broker 2']);
});

test('a partition whose leader moved to a broker that has answered is never sent again, and the library resolves', async () => {
  two = await TwoPartitions.start();
  await two.lane.send([batch('a'), batch('b')]);
  two.leaders[0] = 2;
  two.stored.length = 0;
  const [moved, stayed] = await two.lane.send([batch('c'), batch('d')]);
  expect(stayed).toEqual({ outcome: 'ok', attempts: 1, tainted: false, baseOffset: 7 });
  expect(moved).toMatchObject({ outcome: 'unknown', code: NOT_LEADER, attempts: 1 });
  expect(moved?.clientAnomaly).toMatch(/^kafkajs resolved although the broker answered error 6/);
  expect(two.stored).toEqual(['1 at broker 2']);
});

test('a partition whose leader moved to a broker that was not asked is sent again', async () => {
  two = await TwoPartitions.start();
  two.leaders[0] = 2;
  two.leaders[1] = 2;
  await two.lane.send([batch('a'), batch('b')]);
  two.leaders[0] = 1;
  two.leaders[1] = 1;
  const results = await two.lane.send([batch('c'), batch('d')]);
  expect(results.map(({ outcome, attempts, tainted }) => ({ outcome, attempts, tainted }))).toEqual([
    { outcome: 'ok', attempts: 2, tainted: true },
    { outcome: 'ok', attempts: 2, tainted: true },
  ]);
  expect(results.flatMap(({ clientAnomaly = [] }) => clientAnomaly)).toEqual([]);
});
