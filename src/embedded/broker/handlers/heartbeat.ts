// Heartbeat of a group member.
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';

export const heartbeatHandler =
  (services: BrokerServices): Handler<'Heartbeat'> =>
  async (request) => {
    const { groupId, memberId, groupInstanceId, generationId } = request;
    const found = await services.groups.shardOf(groupId);
    if (found.status === 'not-here') return { errorCode: found.code };
    const group = found.shard.group(groupId);
    const errorCode =
      group?.heartbeat(services.clock.now(), memberId, groupInstanceId, generationId) ?? KAFKA.UNKNOWN_MEMBER_ID;
    return { errorCode };
  };
