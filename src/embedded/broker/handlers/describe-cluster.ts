// DescribeCluster: the same brokers as in Metadata; from version 2 on, when asked, those that are not live as well, fenced.
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';

export const describeClusterHandler =
  (services: BrokerServices): Handler<'DescribeCluster'> =>
  (request, context) => {
    const view = services.view();
    const shown = view.brokers.filter((broker) => broker.live || request.includeFencedBrokers);
    return {
      errorCode: KAFKA.NONE,
      clusterId: view.clusterId,
      controllerId: services.brokerId,
      brokers: shown.map((broker) => ({
        brokerId: broker.id,
        ...(context.listener === 'direct' ? broker.direct : broker.advertised),
        isFenced: !broker.live,
      })),
    };
  };
