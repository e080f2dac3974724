// InitProducerId: a fresh id with epoch 0 for idempotent producers, each time. There are no transactions here.
import { describeError } from '../../../errors.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';

export const initProducerIdHandler =
  (services: BrokerServices): Handler<'InitProducerId'> =>
  async (request) => {
    const none = { producerId: -1, producerEpoch: -1 };
    if (request.transactionalId !== null) return { errorCode: KAFKA.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, ...none };
    try {
      return { errorCode: KAFKA.NONE, producerId: await services.producerIds.take(), producerEpoch: 0 };
    } catch (thrown) {
      services.log.warn(`no producer id: ${describeError(thrown)}`);
      return { errorCode: KAFKA.COORDINATOR_NOT_AVAILABLE, ...none };
    }
  };
