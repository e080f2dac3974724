// A broker in this process, for tests of faults: it answers what canaries ask, on a client and a direct listener, and can be
// stopped, frozen and started again on the same ports. Its cluster decides who leads; records are kept as raw batches.
import { createServer, type Server, type Socket } from 'node:net';
import { listenAt } from '../../src/embedded/link-proxy/address.ts';
import {
  type DecodedRequest,
  decodeRequestFrame,
  encodeResponseFrame,
  FrameSplitter,
  type ResponseInput,
} from '../../src/wire/protocol.ts';

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;

/** What brokers share: topics, leaders, and who is registered. */
export interface ModelState {
  registered(): readonly { readonly id: number; readonly host: string; readonly port: number }[];
  readonly topics: Map<string, ModelPartition[]>;
  createTopic(name: string, partitions: number): void;
}

export interface ModelPartition {
  leader: number;
  epoch: number;
  readonly batches: Buffer[];
}

const NOT_LEADER = 6;
const STORAGE_ERROR = 56;

const topicId = (name: string): string => Buffer.from(name.padEnd(16, '.').slice(-16)).toString('base64url');

export class ModelBroker {
  readonly id: number;
  readonly #state: ModelState;
  readonly #sockets = new Set<Socket>();
  #servers: Server[] = [];
  ports: readonly number[] = [0, 0];
  delayMs = 0;
  isFull = false;
  #frozen: (() => void)[] | undefined;

  constructor(id: number, state: ModelState) {
    this.id = id;
    this.#state = state;
  }

  get clientPort(): number {
    return this.ports[0] ?? 0;
  }

  get directPort(): number {
    return this.ports[1] ?? 0;
  }

  async listen(): Promise<void> {
    this.#servers = this.ports.map(() => createServer((socket) => this.#serve(socket)));
    this.ports = await Promise.all(
      this.#servers.map(async (server, index) => {
        const { port } = await listenAt(server, { host: '127.0.0.1', port: this.ports[index] ?? 0 });
        return port;
      }),
    );
  }

  /** Like a death: listeners and connections are gone. */
  async die(): Promise<void> {
    const closed = this.#servers.map(async (server) => await new Promise((done) => server.close(done)));
    for (const socket of this.#sockets) socket.destroy();
    this.#frozen = undefined;
    await Promise.all(closed);
  }

  freeze(): void {
    this.#frozen = [];
  }

  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const resume of waiting) resume();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    const splitter = new FrameSplitter();
    const take = (chunk: Buffer): void => {
      for (const frame of splitter.push(chunk)) socket.write(this.#answer(decodeRequestFrame(frame)));
    };
    socket.on('data', (chunk: Buffer) => {
      if (this.#frozen === undefined) this.#inTime(() => take(chunk));
      else this.#frozen.push(() => take(chunk));
    });
  }

  #inTime(work: () => void): void {
    if (this.delayMs === 0) work();
    else setTimeout(work, this.delayMs);
  }

  #answer(request: DecodedRequest): Buffer {
    const reply = <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>): Buffer =>
      encodeResponseFrame(api, request.version, request.correlationId, body);
    switch (request.api) {
      case 'ApiVersions':
        return reply('ApiVersions', { errorCode: 0, apiKeys: [] });
      case 'Metadata':
        return reply('Metadata', this.#metadata());
      case 'CreateTopics':
        return reply('CreateTopics', this.#createTopics(request));
      case 'DeleteTopics':
        return reply('DeleteTopics', this.#deleteTopics(request));
      case 'Produce':
        return reply('Produce', this.#produce(request));
      case 'ListOffsets':
        return reply('ListOffsets', this.#listOffsets(request));
      case 'Fetch':
        return reply('Fetch', this.#fetch(request));
      default:
        throw new Error(`The model broker does not answer ${request.api}.`);
    }
  }

  #createTopics({ body }: Of<'CreateTopics'>): ResponseInput<'CreateTopics'> {
    for (const { name, numPartitions } of body.topics) this.#state.createTopic(name, numPartitions);
    return { topics: body.topics.map(({ name }) => ({ name, errorCode: 0 })) };
  }

  #deleteTopics({ body }: Of<'DeleteTopics'>): ResponseInput<'DeleteTopics'> {
    for (const name of body.topicNames) this.#state.topics.delete(name);
    return { responses: body.topicNames.map((name) => ({ name, errorCode: 0 })) };
  }

  #partition(topic: string, index: number): ModelPartition {
    const found = this.#state.topics.get(topic)?.[index];
    if (found === undefined) throw new Error(`The model has no ${topic}/${index}.`);
    return found;
  }

  #metadata(): ResponseInput<'Metadata'> {
    const brokers = this.#state.registered();
    const all = brokers.map(({ id }) => id);
    return {
      brokers: brokers.map(({ id, host, port }) => ({ nodeId: id, host, port })),
      topics: [...this.#state.topics].map(([name, partitions]) => ({
        errorCode: 0,
        name,
        topicId: topicId(name),
        partitions: partitions.map(({ leader, epoch }, partitionIndex) => ({
          errorCode: 0,
          partitionIndex,
          leaderId: leader,
          leaderEpoch: epoch,
          replicaNodes: all,
          isrNodes: all,
        })),
      })),
    };
  }

  #produce({ body }: Of<'Produce'>): ResponseInput<'Produce'> {
    const responses = body.topicData.map(({ name, partitionData }) => ({
      name,
      partitionResponses: partitionData.map(({ index, records }) => {
        const partition = this.#partition(name, index);
        const errorCode = this.isFull ? STORAGE_ERROR : partition.leader === this.id ? 0 : NOT_LEADER;
        if (errorCode === 0 && records !== null) partition.batches.push(Buffer.from(records));
        return { index, errorCode, baseOffset: partition.batches.length - 1 };
      }),
    }));
    return { responses };
  }

  #listOffsets({ body }: Of<'ListOffsets'>): ResponseInput<'ListOffsets'> {
    const topics = body.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        errorCode: 0,
        offset: this.#partition(name, partitionIndex).batches.length,
      })),
    }));
    return { topics };
  }

  #fetch({ body }: Of<'Fetch'>): ResponseInput<'Fetch'> {
    const responses = body.topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition, fetchOffset }) => ({
        partitionIndex: partition,
        errorCode: 0,
        highWatermark: this.#partition(topic, partition).batches.length,
        abortedTransactions: null,
        records: Buffer.concat(this.#partition(topic, partition).batches.slice(fetchOffset)),
      })),
    }));
    return { responses };
  }
}
