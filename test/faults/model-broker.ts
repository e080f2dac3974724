// A broker in this process, for tests of faults: it answers what canaries ask, on a client and a direct listener, and can be
// stopped, frozen and started again on the same ports. Its cluster decides who leads; records are kept as raw batches.
import { createServer, type Server, type Socket } from 'node:net';
import { listenAt } from '../../src/embedded/link-proxy/address.ts';
import {
  apiTable,
  type DecodedRequest,
  decodeRequestFrame,
  encodeResponseFrame,
  FrameSplitter,
  type ResponseInput,
} from '../../src/wire/protocol.ts';
import type { ModelAdministration } from './model-administration.ts';

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;

/** What brokers share: topics, leaders, and who is registered. */
export interface ModelState {
  registered(): readonly {
    readonly id: number;
    readonly host: string;
    readonly port: number;
    readonly directPort: number;
  }[];
  readonly topics: Map<string, ModelPartition[]>;
  readonly administration: ModelAdministration;
  /** With the replicas that `assigned` names for each partition, or spread over all brokers. */
  createTopic(name: string, partitions: number, assigned?: readonly (readonly number[])[]): void;
  /** The error that a broker tells of a topic instead of its partitions; 0 for none. */
  metadataCodeOf?: (broker: number, topic: string) => number;
  /** Who is in sync; absent: all that are registered. */
  inSyncOf?: (partition: ModelPartition) => readonly number[];
}

export interface ModelPartition {
  leader: number;
  epoch: number;
  /** The preferred leader first. */
  replicas: readonly number[];
  readonly batches: Buffer[];
}

/** Of the two listeners. */
const DIRECT = 1;
const CLAIMED = apiTable.map(({ key, minVersion, maxVersion }) => ({ apiKey: key, minVersion, maxVersion }));
const UNKNOWN_TOPIC = 3;
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
  /** Partitions it has been asked for: as in a real cluster, it learns that it leads a new one after others have been told. */
  readonly #led = new WeakSet<ModelPartition>();
  #frozen: (() => void)[] | undefined;
  /** When the next connection of a client may be served, by the clock of the process. */
  #nextServedMs = 0;

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
    this.#servers = this.ports.map((_, listener) => createServer((socket) => this.#serve(socket, listener === DIRECT)));
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

  /** How long a connection waits that comes now, where connections may come only so often. */
  #waitMs(isDirect: boolean): number {
    const perSecond = this.#state.administration.settingOf(this.id, 'max.connection.creation.rate');
    if (isDirect || perSecond > 1000) return 0;
    const now = performance.now();
    this.#nextServedMs = Math.max(now, this.#nextServedMs) + 1000 / perSecond;
    return this.#nextServedMs - now;
  }

  #serve(socket: Socket, isDirect: boolean): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    const splitter = new FrameSplitter();
    const take = (chunk: Buffer): void => {
      for (const frame of splitter.push(chunk)) socket.write(this.#answer(decodeRequestFrame(frame), isDirect));
    };
    const servedMs = performance.now() + this.#waitMs(isDirect);
    socket.on('data', (chunk: Buffer) => {
      const leftMs = Math.max(this.delayMs, servedMs - performance.now());
      if (this.#frozen !== undefined) this.#frozen.push(() => take(chunk));
      else if (leftMs > 0) setTimeout(take, leftMs, chunk).unref();
      else take(chunk);
    });
  }

  #answer(request: DecodedRequest, isDirect: boolean): Buffer {
    const reply = <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>): Buffer =>
      encodeResponseFrame(api, request.version, request.correlationId, body);
    switch (request.api) {
      case 'ApiVersions':
        return reply('ApiVersions', { errorCode: 0, apiKeys: CLAIMED });
      case 'Metadata':
        return reply('Metadata', this.#metadata(request, isDirect));
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
      default: {
        const answer = this.#state.administration.answer(request, this.id, reply);
        if (answer === undefined) throw new Error(`The model broker does not answer ${request.api}.`);
        return answer;
      }
    }
  }

  #createTopics({ body }: Of<'CreateTopics'>): ResponseInput<'CreateTopics'> {
    for (const { name, numPartitions, assignments } of body.topics) {
      const assigned = assignments.map(({ brokerIds }) => brokerIds);
      this.#state.createTopic(name, assigned.length === 0 ? numPartitions : assigned.length, assigned);
    }
    return { topics: body.topics.map(({ name }) => ({ name, errorCode: 0 })) };
  }

  #deleteTopics({ body }: Of<'DeleteTopics'>): ResponseInput<'DeleteTopics'> {
    const names = [...body.topicNames, ...body.topics.map(({ name }) => name ?? '')];
    const refusal = this.#state.administration.deletionCodes.shift();
    const errorCodeOf = (name: string): number => refusal ?? (this.#state.topics.delete(name) ? 0 : 3);
    return { responses: names.map((name) => ({ name, errorCode: errorCodeOf(name) })) };
  }

  #partition(topic: string, index: number): ModelPartition {
    const found = this.#state.topics.get(topic)?.[index];
    if (found === undefined) throw new Error(`The model has no ${topic}/${index}.`);
    return found;
  }

  #metadata({ body }: Of<'Metadata'>, isDirect: boolean): ResponseInput<'Metadata'> {
    const brokers = this.#state.registered();
    const names = body.topics?.map(({ name }) => name ?? '') ?? [...this.#state.topics.keys()];
    return {
      clusterId: 'model',
      brokers: brokers.map(({ id, host, port, directPort }) => ({
        nodeId: id,
        host,
        port: isDirect ? directPort : port,
      })),
      topics: names.map((name) => this.#topic(name)),
    };
  }

  #topic(name: string): ResponseInput<'Metadata'>['topics'][number] {
    const partitions = this.#state.topics.get(name);
    const errorCode = this.#state.metadataCodeOf?.(this.id, name) ?? 0;
    if (errorCode !== 0) return { errorCode, name, partitions: [] };
    if (partitions === undefined) return { errorCode: UNKNOWN_TOPIC, name, partitions: [] };
    return {
      errorCode: 0,
      name,
      topicId: topicId(name),
      partitions: partitions.map((partition, partitionIndex) => ({
        errorCode: 0,
        partitionIndex,
        leaderId: partition.leader,
        leaderEpoch: partition.epoch,
        replicaNodes: partition.replicas,
        isrNodes: this.#state.inSyncOf?.(partition) ?? this.#state.administration.inSync(partition),
      })),
    };
  }

  #produce({ body }: Of<'Produce'>): ResponseInput<'Produce'> {
    const responses = body.topicData.map(({ name, partitionData }) => ({
      name,
      partitionResponses: partitionData.map(({ index, records }) => {
        const partition = this.#partition(name, index);
        const errorCode = this.isFull ? STORAGE_ERROR : this.#refusal(partition, records?.length ?? 0);
        if (errorCode === 0 && records !== null) partition.batches.push(Buffer.from(records));
        return { index, errorCode, baseOffset: partition.batches.length - 1 };
      }),
    }));
    return { responses };
  }

  #refusal(partition: ModelPartition, bytes: number): number {
    const knows = this.#led.has(partition);
    this.#led.add(partition);
    if (partition.leader !== this.id || !knows) return NOT_LEADER;
    return bytes > this.#state.administration.settingOf(this.id, 'message.max.bytes') ? 10 : 0;
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
