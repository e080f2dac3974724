// The calls brokers make to the controller. Both ends are ours; still, what arrives is checked before it is used.
import { KAFKA, KafkaRefusal } from '../error-codes.ts';
import type { JsonAnswer, JsonRoutes } from '../json-over-http.ts';
import { endpointIn, integerIn, objectOf, recordOfStrings, textIn } from '../read-json.ts';
import type { Controller } from './controller.ts';

/** Refusals are answers, not failures: the broker passes code and sentence on to its client. */
const orRefusal = async (run: () => Promise<unknown>): Promise<JsonAnswer> => {
  try {
    return { body: { code: KAFKA.NONE, result: await run() } };
  } catch (thrown) {
    if (thrown instanceof KafkaRefusal) return { body: { code: thrown.code, message: thrown.message } };
    throw thrown;
  }
};

export const controllerRoutes = (controller: Controller): JsonRoutes => ({
  'GET /state': () => ({ body: controller.view }),
  'POST /register': async (body) => {
    const registration = {
      brokerId: integerIn(body, 'brokerId'),
      incarnation: textIn(body, 'incarnation'),
      advertised: endpointIn(body, 'advertised'),
      direct: endpointIn(body, 'direct'),
    };
    return { body: await controller.register(registration) };
  },
  'POST /heartbeat': async (body) => ({
    body: await controller.heartbeat(
      integerIn(body, 'brokerId'),
      textIn(body, 'incarnation'),
      integerIn(body, 'knownVersion'),
    ),
  }),
  'POST /resign': async (body) => ({
    body: await controller.resign(integerIn(body, 'brokerId'), textIn(body, 'incarnation')),
  }),
  'POST /create-topic': async (body) => {
    const wish = {
      name: textIn(body, 'name'),
      partitions: integerIn(body, 'partitions'),
      replicationFactor: integerIn(body, 'replicationFactor'),
      configs: recordOfStrings(body, 'configs'),
    };
    return await orRefusal(async () => await controller.createTopic(wish, objectOf(body)['validateOnly'] === true));
  },
  'POST /delete-topic': async (body) => await orRefusal(async () => await controller.deleteTopic(textIn(body, 'name'))),
  'POST /producer-ids': async () => ({ body: await controller.producerIds() }),
  'POST /raise-epoch': async (body) => ({
    body: await controller.raiseEpoch(textIn(body, 'topicId'), integerIn(body, 'partition'), integerIn(body, 'above')),
  }),
});
