// The quorum of controllers as its leader tells it: who leads in which epoch, how far the metadata log is, and who is behind. A
// broker passes the question on to the leader, and so has no answer where there is none; a controller that does not lead says so.
import type { Connection } from './connection.ts';
import { type Deadline, requestOptions } from './deadline.ts';
import { only, refuseCode } from './evidence-calls.ts';
import type { ResponseBody } from './protocol.ts';

export interface QuorumMember {
  readonly id: number;
  /** The end of its metadata log; −1 where the leader does not know it. */
  readonly endOffset: number;
  /** Wall-clock ms by the leader's clock at which it had everything; −1 where the leader does not tell. */
  readonly caughtUpAtMs: number;
}

export interface QuorumState {
  readonly leader: number;
  readonly epoch: number;
  /** −1 while a new leader does not know it yet. */
  readonly highWatermark: number;
  /** Controllers with a vote. */
  readonly voters: readonly QuorumMember[];
  /** Brokers, and controllers without a vote. */
  readonly observers: readonly QuorumMember[];
}

const METADATA_LOG = '__cluster_metadata';

type Row = ResponseBody<'DescribeQuorum'>['topics'][number]['partitions'][number]['currentVoters'][number];

const memberOf = ({ replicaId, logEndOffset, lastCaughtUpTimestamp }: Row): QuorumMember => ({
  id: replicaId,
  endOffset: logEndOffset,
  caughtUpAtMs: lastCaughtUpTimestamp,
});

/** One try, no patience. Throws `WIRE_REFUSED` with code 6 where the controller that was asked does not lead. */
export const describeQuorum = async (connection: Connection, deadline: Deadline): Promise<QuorumState> => {
  const body = { topics: [{ topicName: METADATA_LOG, partitions: [{ partitionIndex: 0 }] }] };
  const answer = await connection.request('DescribeQuorum', body, requestOptions(deadline));
  refuseCode('DescribeQuorum', answer.errorCode);
  const row = only('DescribeQuorum', only('DescribeQuorum', answer.topics).partitions);
  refuseCode('DescribeQuorum', row.errorCode);
  return {
    leader: row.leaderId,
    epoch: row.leaderEpoch,
    highWatermark: row.highWatermark,
    voters: row.currentVoters.map(memberOf),
    observers: row.observers.map(memberOf),
  };
};
