// OffsetForLeaderEpoch: where an epoch ended in this log; −1 and −1 for an epoch the log has not come to.
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { locateOwner } from '../locate.ts';

type Wanted = RequestBody<'OffsetForLeaderEpoch'>['topics'][number]['partitions'][number];
type PartitionAnswer = ResponseInput<'OffsetForLeaderEpoch'>['topics'][number]['partitions'][number];

const WAIT_MS = 5000;

const answerFor = async (services: BrokerServices, topic: string, wanted: Wanted): Promise<PartitionAnswer> => {
  const { partition } = wanted;
  const located = await locateOwner(services, topic, partition, wanted.currentLeaderEpoch, WAIT_MS);
  if (located.status === 'not-here') return { partition, errorCode: located.code };
  const end = located.log.epochEndOffset(wanted.leaderEpoch);
  if (end === undefined) return { partition, errorCode: KAFKA.NONE };
  return { partition, errorCode: KAFKA.NONE, leaderEpoch: end.epoch, endOffset: end.endOffset };
};

export const offsetForLeaderEpochHandler =
  (services: BrokerServices): Handler<'OffsetForLeaderEpoch'> =>
  async (request) => ({
    topics: await Promise.all(
      request.topics.map(async ({ topic, partitions }) => ({
        topic,
        partitions: await Promise.all(partitions.map(async (wanted) => await answerFor(services, topic, wanted))),
      })),
    ),
  });
