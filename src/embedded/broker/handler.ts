// What a request handler is given and what it may answer.
import type { ApiName, RequestBody, ResponseInput } from '../../wire/protocol.ts';

/** Which door a request came in by; it decides which addresses the answer may name. */
export type ListenerName = 'client' | 'direct';

export interface RequestContext {
  readonly listener: ListenerName;
  readonly version: number;
  readonly clientId: string;
  readonly clientHost: string;
  /** Aborts when the connection is gone; nobody will read the answer. */
  readonly signal: AbortSignal;
}

/** No bytes are sent (acks=0), or the connection is closed because that is the only way left to tell. */
export type NoAnswer = 'no-answer' | 'close';

export type Handler<N extends ApiName> = (
  body: RequestBody<N>,
  context: RequestContext,
) => Promise<ResponseInput<N> | NoAnswer> | ResponseInput<N> | NoAnswer;

/** Rows of the message table that only clients use: this cluster has no quorum of controllers, no replicas and no settings to change. */
const UNSERVED = [
  'AlterPartitionReassignments',
  'DescribeLogDirs',
  'DescribeQuorum',
  'DescribeTopicPartitions',
  'ElectLeaders',
  'IncrementalAlterConfigs',
  'ListPartitionReassignments',
  'UpdateFeatures',
] as const satisfies readonly ApiName[];
type ServedApi = Exclude<ApiName, (typeof UNSERVED)[number]>;

export const isServed = (api: ApiName): api is ServedApi => !(UNSERVED as readonly ApiName[]).includes(api);

/** One handler for each row of the message table that is served. */
export type Handlers = { readonly [N in ServedApi]: Handler<N> };
