// JoinGroup: held until the group has come together.

import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import { joinRefused } from '../groups/group-answers.ts';
import type { JoinAnswer } from '../groups/group-member.ts';
import type { Handler, RequestContext } from '../handler.ts';

const FIRST_VERSION_WITH_REQUIRED_ID = 4;
const FIRST_VERSION_WITH_NULL_NAME = 7;

const join = async (
  services: BrokerServices,
  request: RequestBody<'JoinGroup'>,
  context: RequestContext,
): Promise<JoinAnswer> => {
  const { memberId, groupId } = request;
  if (groupId === '') return joinRefused(KAFKA.INVALID_GROUP_ID, memberId);
  const found = await services.groups.shardOf(groupId);
  if (found.status === 'not-here') return joinRefused(found.code, memberId);
  const group = found.shard.groupOrNew(groupId);
  return await new Promise<JoinAnswer>((resolve) => {
    const wish = {
      memberId,
      instanceId: request.groupInstanceId,
      clientId: context.clientId,
      clientHost: context.clientHost,
      sessionTimeoutMs: request.sessionTimeoutMs,
      rebalanceTimeoutMs: request.rebalanceTimeoutMs < 0 ? request.sessionTimeoutMs : request.rebalanceTimeoutMs,
      protocolType: request.protocolType,
      protocols: request.protocols,
      mustKnowId: context.version >= FIRST_VERSION_WITH_REQUIRED_ID,
    };
    group.join(services.clock.now(), wish, resolve);
  });
};

export const joinGroupHandler =
  (services: BrokerServices): Handler<'JoinGroup'> =>
  async (request, context): Promise<ResponseInput<'JoinGroup'>> => {
    const answer = await join(services, request, context);
    const noName = context.version >= FIRST_VERSION_WITH_NULL_NAME ? null : '';
    return {
      errorCode: answer.code,
      generationId: answer.generationId,
      protocolType: answer.protocolType,
      protocolName: answer.protocolName ?? noName,
      leader: answer.leaderId,
      memberId: answer.memberId,
      members: answer.members.map(({ memberId, instanceId, metadata }) => ({
        memberId,
        groupInstanceId: instanceId,
        metadata,
      })),
    };
  };
