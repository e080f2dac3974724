// The consumer group of a fake cluster: one member at a time, which is its own leader; what it commits is forgotten. kafkajs reads
// only in groups, so a fake that is read by it must answer these.
import type { DecodedRequest, ResponseInput } from '../../src/wire/protocol.ts';

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;

const MEMBER = 'member-1';

export const findCoordinator = (nodeId: number, port: number): ResponseInput<'FindCoordinator'> => ({
  errorCode: 0,
  nodeId,
  host: '127.0.0.1',
  port,
  coordinators: [],
});

export const joinGroup = ({ body }: Of<'JoinGroup'>): ResponseInput<'JoinGroup'> => {
  const [protocol] = body.protocols;
  return {
    errorCode: 0,
    generationId: 1,
    protocolName: protocol?.name ?? null,
    leader: MEMBER,
    memberId: MEMBER,
    members: [{ memberId: MEMBER, metadata: protocol?.metadata ?? Buffer.alloc(0) }],
  };
};

export const syncGroup = ({ body }: Of<'SyncGroup'>): ResponseInput<'SyncGroup'> => ({
  errorCode: 0,
  assignment: body.assignments[0]?.assignment ?? Buffer.alloc(0),
});

export const offsetCommit = ({ body }: Of<'OffsetCommit'>): ResponseInput<'OffsetCommit'> => ({
  topics: body.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
  })),
});

export const leaveGroup = (): ResponseInput<'LeaveGroup'> => ({ errorCode: 0, members: [] });

export const offsetFetch = ({ body }: Of<'OffsetFetch'>): ResponseInput<'OffsetFetch'> => ({
  errorCode: 0,
  groups: [],
  topics: (body.topics ?? []).map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      metadata: '',
      errorCode: 0,
    })),
  })),
});
