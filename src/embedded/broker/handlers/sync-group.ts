// SyncGroup: held until the group's leader has handed out the assignments.
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import { syncRefused } from '../groups/group-answers.ts';
import type { SyncAnswer } from '../groups/group-member.ts';
import type { Handler } from '../handler.ts';

export const syncGroupHandler =
  (services: BrokerServices): Handler<'SyncGroup'> =>
  async (request) => {
    const found = await services.groups.shardOf(request.groupId);
    const group = found.status === 'here' ? found.shard.group(request.groupId) : undefined;
    const answer =
      group === undefined
        ? syncRefused(found.status === 'here' ? KAFKA.UNKNOWN_MEMBER_ID : found.code)
        : await new Promise<SyncAnswer>((resolve) => {
            const { groupInstanceId: instanceId, ...rest } = request;
            group.sync(services.clock.now(), { ...rest, instanceId }, resolve);
          });
    const { code: errorCode, protocolType, protocolName, assignment } = answer;
    return { errorCode, protocolType, protocolName, assignment };
  };
