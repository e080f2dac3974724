// DescribeGroups: phase and members of groups this broker coordinates. A group nobody has heard of is "Dead", as in Kafka.
import type { ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Group, GroupPhase } from '../groups/group.ts';
import type { GroupShard } from '../groups/group-shard.ts';
import type { Handler } from '../handler.ts';

type GroupAnswer = ResponseInput<'DescribeGroups'>['groups'][number];

/** Kafka's names of the phases. */
export const PHASE_NAMES: Readonly<Record<GroupPhase, string>> = {
  empty: 'Empty',
  joining: 'PreparingRebalance',
  syncing: 'CompletingRebalance',
  stable: 'Stable',
};

const NO_BYTES = Buffer.alloc(0);

const bare = (groupId: string, groupState: string, errorCode: number): GroupAnswer => ({
  errorCode,
  groupId,
  groupState,
  protocolType: '',
  protocolData: '',
  members: [],
});

const describeMembers = (group: Group): GroupAnswer['members'] =>
  group.members.map((member) => ({
    memberId: member.id,
    groupInstanceId: member.instanceId,
    clientId: member.clientId,
    clientHost: `/${member.clientHost}`,
    memberMetadata: member.protocols.find((protocol) => protocol.name === group.protocolName)?.metadata ?? NO_BYTES,
    memberAssignment: member.assignment,
  }));

const describeIn = (shard: GroupShard, groupId: string): GroupAnswer => {
  const group = shard.group(groupId);
  if (group === undefined) return bare(groupId, shard.groupIds().includes(groupId) ? 'Empty' : 'Dead', KAFKA.NONE);
  return {
    ...bare(groupId, PHASE_NAMES[group.phase], KAFKA.NONE),
    protocolType: group.protocolType ?? '',
    protocolData: group.protocolName ?? '',
    members: describeMembers(group),
  };
};

export const describeGroupsHandler =
  (services: BrokerServices): Handler<'DescribeGroups'> =>
  async (request) => ({
    groups: await Promise.all(
      request.groups.map(async (groupId) => {
        const found = await services.groups.shardOf(groupId);
        return found.status === 'here' ? describeIn(found.shard, groupId) : bare(groupId, '', found.code);
      }),
    ),
  });
