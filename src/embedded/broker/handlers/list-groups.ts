// ListGroups: the groups this broker coordinates; clients ask every broker and put the answers together.
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { PHASE_NAMES } from './describe-groups.ts';

export const listGroupsHandler =
  (services: BrokerServices): Handler<'ListGroups'> =>
  (request) => {
    const all = services.groups.loadedShards().flatMap((shard) =>
      shard.groupIds().map((groupId) => {
        const group = shard.group(groupId);
        const groupState = PHASE_NAMES[group?.phase ?? 'empty'];
        return { groupId, protocolType: group?.protocolType ?? '', groupState, groupType: 'classic' };
      }),
    );
    const isWanted = (wanted: readonly string[], value: string): boolean =>
      wanted.length === 0 || wanted.some((name) => name.toLowerCase() === value.toLowerCase());
    return {
      errorCode: KAFKA.NONE,
      groups: all.filter(
        (group) => isWanted(request.statesFilter, group.groupState) && isWanted(request.typesFilter, group.groupType),
      ),
    };
  };
