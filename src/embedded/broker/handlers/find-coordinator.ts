// FindCoordinator: the broker that owns the group's partition of the offsets topic. Transactions have no coordinator here.
import type { ResponseInput } from '../../../wire/protocol.ts';
import { OFFSETS_TOPIC } from '../../cluster-view.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import { partitionOfGroup } from '../groups/group-coordinator.ts';
import type { Handler, ListenerName } from '../handler.ts';
import { topicNamed } from '../locate.ts';
import { addressesOf } from './addresses.ts';

type CoordinatorAnswer = NonNullable<ResponseInput<'FindCoordinator'>['coordinators']>[number];

const GROUP = 0;

const absent = (key: string, errorCode: number, errorMessage: string): CoordinatorAnswer => ({
  key,
  nodeId: -1,
  host: '',
  port: -1,
  errorCode,
  errorMessage,
});

const find = (services: BrokerServices, key: string, keyType: number, listener: ListenerName): CoordinatorAnswer => {
  if (keyType !== GROUP) {
    return absent(key, KAFKA.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, 'The embedded cluster has no transactions.');
  }
  const view = services.view();
  const owner = topicNamed(view, OFFSETS_TOPIC)?.partitions[partitionOfGroup(key)];
  const address = addressesOf(view, listener).find((node) => node.nodeId === owner?.leader);
  if (address === undefined) return absent(key, KAFKA.COORDINATOR_NOT_AVAILABLE, 'The group has no coordinator now.');
  return { key, ...address, errorCode: KAFKA.NONE, errorMessage: null };
};

export const findCoordinatorHandler =
  (services: BrokerServices): Handler<'FindCoordinator'> =>
  (request, context) => {
    const keys = context.version >= 4 ? request.coordinatorKeys : [request.key];
    const coordinators = keys.map((key) => find(services, key, request.keyType, context.listener));
    const [first] = coordinators;
    if (context.version >= 4 || first === undefined) return { coordinators };
    const { nodeId, host, port, errorCode, errorMessage } = first;
    return { errorCode, nodeId, host, port, errorMessage: errorMessage ?? null };
  };
