// A cluster of sockets on loopback for tests of the wire client: one topic kept in memory, leadership moved by hand, and a hook
// that decides what happens to each request. It is no model of Kafka; it answers just enough for a client to be tested.
import { createServer, type Server, type Socket } from 'node:net';
import {
  apiTable,
  type DecodedRequest,
  decodeRequestFrame,
  encodeResponseFrame,
  FrameSplitter,
  type ResponseInput,
  WireError,
} from '../../src/wire/protocol.ts';
import { readBatchHeader, rewriteBatchOffset } from '../../src/wire/record-batch.ts';
import { FakeAdministration } from './fake-administration.ts';
import { findCoordinator, joinGroup, leaveGroup, offsetCommit, offsetFetch, syncGroup } from './fake-group.ts';

/** What happens to a request: served; served without telling; not even looked at; the connection closed; a code; raw bytes. */
export type Fate =
  | 'serve'
  | 'swallow-answer'
  | 'ignore'
  | 'hang-up'
  | { readonly code: number }
  | { readonly raw: Buffer };
export type Hook = (request: DecodedRequest, broker: FakeBroker) => Fate;

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;

export const TOPIC = 'orders';
const UNKNOWN_TOPIC = 3;

export class FakeBroker {
  readonly id: number;
  readonly seen: DecodedRequest[] = [];
  readonly #cluster: FakeCluster;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  port = 0;

  constructor(cluster: FakeCluster, id: number) {
    this.#cluster = cluster;
    this.id = id;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Connections that are open just now. */
  get connections(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
  }

  /** Closes every connection and refuses new ones. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    const splitter = new FrameSplitter();
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const frame of splitter.push(chunk)) this.#take(frame, socket);
      } catch (thrown) {
        // As brokers do with a stranger who speaks another protocol.
        if (!(thrown instanceof WireError)) throw thrown;
        socket.destroy();
      }
    });
  }

  #take(frame: Buffer, socket: Socket): void {
    const request = this.#decode(frame, socket);
    if (request === undefined) return;
    this.seen.push(request);
    const fate = this.#cluster.hook(request, this);
    if (fate === 'ignore') return;
    if (fate === 'hang-up') socket.destroy();
    else if (typeof fate === 'object' && 'raw' in fate) socket.write(fate.raw);
    else {
      const answer = this.#cluster.answer(request, this, typeof fate === 'object' ? fate.code : 0);
      if (fate !== 'swallow-answer' && answer !== undefined) socket.write(answer);
    }
  }

  /** Answers a version it does not know as brokers do: error 35 in the oldest form. */
  #decode(frame: Buffer, socket: Socket): DecodedRequest | undefined {
    try {
      return decodeRequestFrame(frame);
    } catch (error) {
      if (!(error instanceof WireError) || error.request?.apiKey !== 18) throw error;
      socket.write(this.#cluster.refuseApiVersions(error.request.correlationId));
      return undefined;
    }
  }
}

export class FakeCluster {
  readonly brokers: FakeBroker[];
  hook: Hook = () => 'serve';
  leader = 1;
  leaderEpoch = 0;
  logStart = 0;
  /** Whole batches in offset order. */
  readonly log: Buffer[] = [];
  /** Topics made by CreateTopics. */
  readonly created = new Set<string>();
  readonly fenced = new Set<number>();
  readonly administration = new FakeAdministration(this);
  /** Rows of ApiVersions that differ from our own table. */
  readonly versions = new Map<string, readonly [number, number]>();
  #nextProducerId = 1000;

  private constructor(count: number) {
    this.brokers = Array.from({ length: count }, (_, index) => new FakeBroker(this, index + 1));
  }

  static async start(count = 1): Promise<FakeCluster> {
    const cluster = new FakeCluster(count);
    for (const broker of cluster.brokers) await broker.listen();
    return cluster;
  }

  get bootstrap(): { host: string; port: number }[] {
    return this.brokers.map(({ port }) => ({ host: '127.0.0.1', port }));
  }

  get endOffset(): number {
    const last = this.log.at(-1);
    if (last === undefined) return this.logStart;
    const { baseOffset, lastOffsetDelta } = readBatchHeader(last, 0);
    return baseOffset + lastOffsetDelta + 1;
  }

  async stop(): Promise<void> {
    await Promise.all(this.brokers.map(async (broker) => await broker.stop()));
  }

  moveLeader(to: number): void {
    this.leader = to;
    this.leaderEpoch++;
  }

  refuseApiVersions(correlationId: number): Buffer {
    return encodeResponseFrame('ApiVersions', 0, correlationId, { errorCode: 35, apiKeys: this.#apiKeys() });
  }

  answer(request: DecodedRequest, broker: FakeBroker, code: number): Buffer | undefined {
    const reply = <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>): Buffer =>
      encodeResponseFrame(api, request.version, request.correlationId, body);
    switch (request.api) {
      case 'ApiVersions':
        return reply('ApiVersions', { errorCode: code, apiKeys: this.#apiKeys() });
      case 'Metadata':
        return reply('Metadata', this.#metadata(code));
      case 'Produce':
        return reply('Produce', this.#produce(request, broker, code));
      case 'Fetch':
        return reply('Fetch', this.#fetch(request, broker, code));
      case 'InitProducerId':
        return reply('InitProducerId', { errorCode: code, producerId: this.#nextProducerId++, producerEpoch: 0 });
      case 'ListOffsets':
        return reply('ListOffsets', this.#listOffsets(request, broker, code));
      case 'CreateTopics':
        return reply('CreateTopics', {
          topics: request.body.topics.map(({ name }) => ({ name, errorCode: this.#create(name, code), configs: [] })),
        });
      case 'DeleteTopics':
        return reply('DeleteTopics', {
          responses: [...request.body.topics.map(({ name }) => name ?? ''), ...request.body.topicNames].map((name) => ({
            name,
            errorCode: this.#delete(name, code),
          })),
        });
      case 'DescribeCluster':
        return reply('DescribeCluster', {
          errorCode: code,
          clusterId: 'fake',
          controllerId: 1,
          brokers: this.brokers.map(({ id, port }) => ({
            brokerId: id,
            host: '127.0.0.1',
            port,
            isFenced: this.fenced.has(id),
          })),
        });
      case 'OffsetForLeaderEpoch':
        return reply('OffsetForLeaderEpoch', {
          topics: [
            {
              topic: TOPIC,
              partitions: [
                { errorCode: this.#leadershipCode(broker, code), partition: 0, leaderEpoch: 3, endOffset: 17 },
              ],
            },
          ],
        });
      default:
        return (
          this.administration.answer(request, broker.id, code, reply) ?? this.#answerMember(request, broker, reply)
        );
    }
  }

  /** What members of a consumer group ask; every broker coordinates every group. */
  #answerMember(
    request: DecodedRequest,
    broker: FakeBroker,
    reply: <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>) => Buffer,
  ): Buffer {
    switch (request.api) {
      case 'FindCoordinator':
        return reply('FindCoordinator', findCoordinator(broker.id, broker.port));
      case 'JoinGroup':
        return reply('JoinGroup', joinGroup(request));
      case 'SyncGroup':
        return reply('SyncGroup', syncGroup(request));
      case 'Heartbeat':
        return reply('Heartbeat', { errorCode: 0 });
      case 'LeaveGroup':
        return reply('LeaveGroup', leaveGroup());
      case 'OffsetCommit':
        return reply('OffsetCommit', offsetCommit(request));
      case 'OffsetFetch':
        return reply('OffsetFetch', offsetFetch(request));
      default:
        throw new Error(`The fake cluster does not answer ${request.api}.`);
    }
  }

  #create(name: string, code: number): number {
    if (code !== 0 || this.created.has(name)) return code === 0 ? 36 : code;
    this.created.add(name);
    return 0;
  }

  #delete(name: string, code: number): number {
    if (code !== 0) return code;
    return this.created.delete(name) ? 0 : 3;
  }

  #apiKeys(): { apiKey: number; minVersion: number; maxVersion: number }[] {
    return apiTable.map(({ name, key, minVersion, maxVersion }) => {
      const [lowest, highest] = this.versions.get(name) ?? [minVersion, maxVersion];
      return { apiKey: key, minVersion: lowest, maxVersion: highest };
    });
  }

  #metadata(code: number): ResponseInput<'Metadata'> {
    const all = this.brokers.map(({ id }) => id);
    const partition = { errorCode: code, partitionIndex: 0, leaderId: this.leader, leaderEpoch: this.leaderEpoch };
    const partitions = code === UNKNOWN_TOPIC ? [] : [{ ...partition, replicaNodes: all, isrNodes: all }];
    const errorCode = code === UNKNOWN_TOPIC ? code : 0;
    return {
      brokers: this.brokers.map(({ id, port }) => ({ nodeId: id, host: '127.0.0.1', port })),
      clusterId: 'fake',
      controllerId: 1,
      topics: [{ errorCode, name: TOPIC, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', partitions }],
    };
  }

  #leadershipCode(broker: FakeBroker, code: number): number {
    return code === 0 && broker.id !== this.leader ? 6 : code;
  }

  #produce(request: Of<'Produce'>, broker: FakeBroker, code: number): ResponseInput<'Produce'> {
    const errorCode = this.#leadershipCode(broker, code);
    const baseOffset = errorCode === 0 ? this.endOffset : -1;
    const records = request.body.topicData[0]?.partitionData[0]?.records;
    if (errorCode === 0 && records) {
      const stored = Buffer.from(records);
      rewriteBatchOffset(stored, 0, baseOffset, this.leaderEpoch);
      this.log.push(stored);
    }
    return { responses: [{ name: TOPIC, partitionResponses: [{ index: 0, errorCode, baseOffset }] }] };
  }

  #fetch(request: Of<'Fetch'>, broker: FakeBroker, code: number): ResponseInput<'Fetch'> {
    const from = request.body.topics[0]?.partitions[0]?.fetchOffset ?? 0;
    const leadership = this.#leadershipCode(broker, code);
    const outside = from < this.logStart || from > this.endOffset;
    const errorCode = leadership === 0 && outside ? 1 : leadership;
    const wanted = this.log.filter((batch) => {
      const { baseOffset, lastOffsetDelta } = readBatchHeader(batch, 0);
      return baseOffset + lastOffsetDelta >= from;
    });
    const records = errorCode === 0 ? Buffer.concat(wanted) : null;
    const state = { highWatermark: this.endOffset, lastStableOffset: this.endOffset, logStartOffset: this.logStart };
    return {
      responses: [
        { topic: TOPIC, partitions: [{ partitionIndex: 0, errorCode, ...state, abortedTransactions: null, records }] },
      ],
    };
  }

  #listOffsets(request: Of<'ListOffsets'>, broker: FakeBroker, code: number): ResponseInput<'ListOffsets'> {
    const errorCode = this.#leadershipCode(broker, code);
    const latest = request.body.topics[0]?.partitions[0]?.timestamp === -1;
    const offset = errorCode === 0 ? (latest ? this.endOffset : this.logStart) : -1;
    const partitions = [{ partitionIndex: 0, errorCode, offset, leaderEpoch: this.leaderEpoch }];
    return { topics: [{ name: TOPIC, partitions }] };
  }
}
