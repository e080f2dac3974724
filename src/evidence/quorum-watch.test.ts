// The quorum is asked of sockets on loopback that answer as controllers do: the leader tells, the others say that they do not lead.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster } from '../../test/support/fake-cluster.ts';
import type { ControllerNode } from '../targets/target.ts';
import { encodeResponseFrame, type ResponseInput } from '../wire/protocol.ts';
import { QuorumAsker } from './quorum-watch.ts';

let cluster: FakeCluster;
/** The id of the controller that leads; 0 while there is none. */
let leader: number;
const NOT_LEADER = 6;

const answerOf = (asked: number): ResponseInput<'DescribeQuorum'> => {
  const member = (replicaId: number) => ({ replicaId, logEndOffset: 7, lastCaughtUpTimestamp: 1000 });
  const known = asked === leader;
  const row = {
    partitionIndex: 0,
    errorCode: known ? 0 : NOT_LEADER,
    leaderId: known ? leader : -1,
    leaderEpoch: 5,
    highWatermark: 6,
    currentVoters: [member(1), member(2), member(3)],
    observers: [],
  };
  return { errorCode: 0, topics: [{ topicName: '__cluster_metadata', partitions: [row] }] };
};

/** Who was asked, in turn. */
const asked: number[] = [];

beforeEach(async () => {
  cluster = await FakeCluster.start(3);
  leader = 3;
  asked.length = 0;
  cluster.hook = (request, { id }) => {
    if (request.api !== 'DescribeQuorum') return 'serve';
    asked.push(id);
    return { raw: encodeResponseFrame('DescribeQuorum', request.version, request.correlationId, answerOf(id)) };
  };
});

afterEach(async () => {
  await cluster.stop();
});

const controllers = (): readonly ControllerNode[] =>
  cluster.brokers.map(({ id, port }) => ({ id, node: `controller/${id}`, direct: { host: '127.0.0.1', port } }));

const askerOf = (known: readonly ControllerNode[]): QuorumAsker =>
  new QuorumAsker({ controllers: known, brokers: cluster.bootstrap, clientId: 'test', connectTimeoutMs: 1_000 });
const options = { deadlineMs: 4_000 };

describe('the quorum', () => {
  it('is asked of the controllers in turn, and of its leader first from then on', async () => {
    const asker = askerOf(controllers());
    expect(await asker.ask(options)).toMatchObject({ leader: 3, epoch: 5, highWatermark: 6 });
    await asker.ask(options);
    expect(asked).toEqual([1, 2, 3, 3]);
    asker.close();
  });

  it('without a leader is what the controllers say of it: no broker is made to wait for one', async () => {
    leader = 0;
    const asker = askerOf(controllers());
    await expect(asker.ask(options)).rejects.toMatchObject({ kafkaCode: NOT_LEADER });
    expect(asked).toEqual([1, 2, 3]);
    asker.close();
  });

  it('is asked of brokers where no controller is known, or none can be reached', async () => {
    leader = 1;
    cluster.hook = (request) =>
      request.api === 'DescribeQuorum'
        ? { raw: encodeResponseFrame('DescribeQuorum', request.version, request.correlationId, answerOf(1)) }
        : 'serve';
    const unreachable = [{ id: 9, node: 'controller/9', direct: { host: '127.0.0.1', port: 1 } }];
    for (const known of [[], unreachable]) {
      const asker = askerOf(known);
      expect((await asker.ask(options)).leader).toBe(1);
      asker.close();
    }
  });
});
