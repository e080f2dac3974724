// Produce: each partition's batch is checked, handed to its log, and acknowledged when the log says it is stored. A wait that
// runs out is REQUEST_TIMED_OUT, which promises nothing either way; the batch may still be stored.
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { AppendBatch, AppendResult, PartitionLog } from '../../log/interfaces.ts';
import { topicConfig } from '../../topic-configs.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { type LeaderHint, locate, NO_HINT } from '../locate.ts';
import type { OwnedPartition } from '../owned-partitions.ts';
import { within } from '../within.ts';
import { acceptBatch } from './accept-batch.ts';
import { addressesOf } from './addresses.ts';

type ProduceAnswer = ResponseInput<'Produce'>;
type PartitionAnswer = ProduceAnswer['responses'][number]['partitionResponses'][number];

/** What became of one partition's batch. */
interface Outcome {
  readonly errorCode: number;
  readonly errorMessage?: string;
  readonly baseOffset: number;
  readonly logStartOffset?: number;
  readonly hint: LeaderHint;
}

const ACKS = new Set([-1, 0, 1]);
const MAX_WAIT_MS = 600_000;
const BUSY_PAUSE_MS = 100;

const refusal = (errorCode: number, errorMessage?: string, hint: LeaderHint = NO_HINT): Outcome => ({
  errorCode,
  ...(errorMessage === undefined ? {} : { errorMessage }),
  baseOffset: -1,
  hint,
});

const CODES = {
  'not-owner': KAFKA.NOT_LEADER_OR_FOLLOWER,
  busy: KAFKA.REQUEST_TIMED_OUT,
  'out-of-order-sequence': KAFKA.OUT_OF_ORDER_SEQUENCE_NUMBER,
  'stale-producer-epoch': KAFKA.INVALID_PRODUCER_EPOCH,
} as const;

const outcomeOf = (result: AppendResult, log: PartitionLog): Outcome => {
  if (result.outcome !== 'stored') return refusal(CODES[result.outcome]);
  return { errorCode: KAFKA.NONE, baseOffset: result.baseOffset, logStartOffset: log.logStart, hint: NO_HINT };
};

/** Appends and waits at most `waitMs`, recovery of the partition included. */
const append = async (
  services: BrokerServices,
  entry: OwnedPartition,
  batch: AppendBatch,
  waitMs: number,
): Promise<Outcome> => {
  const stored = async (): Promise<Outcome> => {
    const log = entry.log ?? (await entry.ready);
    if (log === undefined) return refusal(KAFKA.NOT_LEADER_OR_FOLLOWER);
    const result = await log.append(batch);
    // Whoever is refused because too much waits already is not invited to try again at once.
    if (result.outcome === 'busy') await services.clock.sleep(BUSY_PAUSE_MS);
    return outcomeOf(result, log);
  };
  const late = refusal(KAFKA.REQUEST_TIMED_OUT, 'The write-ahead log did not confirm in time.');
  const outcome = (await within(stored(), waitMs)) ?? late;
  services.failures.note(`${entry.topic.name}/${entry.partition}`, outcome.errorCode);
  return outcome;
};

const producePartition = async (
  services: BrokerServices,
  request: RequestBody<'Produce'>,
  topicName: string,
  data: { readonly index: number; readonly records: Buffer | null },
): Promise<Outcome> => {
  if (!ACKS.has(request.acks)) return refusal(KAFKA.INVALID_REQUIRED_ACKS);
  if (request.transactionalId !== null) {
    return refusal(KAFKA.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, 'The embedded cluster has no transactions.');
  }
  const located = locate(services, topicName, data.index);
  if (located.status === 'not-here') return refusal(located.code, undefined, located.hint);
  const { entry } = located;
  if (entry.topic.internal) return refusal(KAFKA.INVALID_TOPIC_EXCEPTION, 'The topic belongs to the cluster.');
  if (services.isStopping()) return refusal(KAFKA.NOT_LEADER_OR_FOLLOWER);
  const accepted = acceptBatch(data.records, Number(topicConfig(entry.topic.configs, 'max.message.bytes')));
  if ('code' in accepted) return refusal(accepted.code, accepted.message);
  return await append(services, entry, accepted, Math.min(Math.max(1, request.timeoutMs), MAX_WAIT_MS));
};

const partitionAnswer = (index: number, outcome: Outcome): PartitionAnswer => ({
  index,
  errorCode: outcome.errorCode,
  baseOffset: outcome.baseOffset,
  logAppendTimeMs: -1,
  logStartOffset: outcome.logStartOffset ?? -1,
  recordErrors: [],
  errorMessage: outcome.errorMessage ?? null,
  currentLeader: outcome.hint,
});

export const produceHandler =
  (services: BrokerServices): Handler<'Produce'> =>
  async (request, context) => {
    const responses = await Promise.all(
      request.topicData.map(async (topic) => ({
        name: topic.name,
        partitionResponses: await Promise.all(
          topic.partitionData.map(async (data) =>
            partitionAnswer(data.index, await producePartition(services, request, topic.name, data)),
          ),
        ),
      })),
    );
    const answers = responses.flatMap((topic) => topic.partitionResponses);
    // Without an answer, a closed connection is the only way to say that something went wrong.
    if (request.acks === 0) return answers.every((answer) => answer.errorCode === KAFKA.NONE) ? 'no-answer' : 'close';
    const hinted = new Set(answers.map((answer) => answer.currentLeader?.leaderId));
    const nodeEndpoints = addressesOf(services.view(), context.listener).filter((node) => hinted.has(node.nodeId));
    return { responses, nodeEndpoints };
  };
