// LeaveGroup: one member, or from version 3 on a list of them.
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';

const FIRST_VERSION_WITH_LIST = 3;

export const leaveGroupHandler =
  (services: BrokerServices): Handler<'LeaveGroup'> =>
  async (request, context) => {
    const found = await services.groups.shardOf(request.groupId);
    if (found.status === 'not-here') return { errorCode: found.code, members: [] };
    const group = found.shard.group(request.groupId);
    const now = services.clock.now();
    const leave = (memberId: string, instanceId: string | null): number =>
      group?.leave(now, memberId, instanceId) ?? KAFKA.UNKNOWN_MEMBER_ID;
    if (context.version < FIRST_VERSION_WITH_LIST) return { errorCode: leave(request.memberId, null), members: [] };
    const members = request.members.map(({ memberId, groupInstanceId }) => ({
      memberId,
      groupInstanceId,
      errorCode: leave(memberId, groupInstanceId),
    }));
    return { errorCode: KAFKA.NONE, members };
  };
