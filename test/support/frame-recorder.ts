// A tap between Kafka clients and a cluster: every frame passes through and is kept. Brokers' addresses in answers are
// replaced by addresses of the tap, so that a client that follows them stays on it, and versions that our table lacks are taken
// out of ApiVersions, so that the client stays within it. What is kept are the original bytes.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ApiName } from '../../src/wire/message-table.ts';
import {
  apiTable,
  correlationIdOf,
  decodeResponseFrame,
  encodeResponseFrame,
  FrameSplitter,
  type ResponseBody,
} from '../../src/wire/protocol.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RecordedFrame {
  /** Who spoke: the client's name for requests and answers alike. */
  readonly client: string;
  readonly direction: 'request' | 'response';
  /** The name in our table, or `key <n>` for what we do not know. */
  readonly api: string;
  readonly version: number;
  /** The frame without its length. */
  readonly frame: Buffer;
}

interface Asked {
  readonly name: ApiName | undefined;
  readonly label: string;
  readonly version: number;
}

const withLength = (frame: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(frame.length);
  return Buffer.concat([length, frame]);
};

type VersionRow = ResponseBody<'ApiVersions'>['apiKeys'][number];

/** What is left of a broker's range when only our table counts. */
const withinTable = ({ apiKey, minVersion, maxVersion }: VersionRow): readonly VersionRow[] => {
  const ours = apiTable.find(({ key }) => key === apiKey);
  if (ours === undefined) return [];
  const lowest = Math.max(minVersion, ours.claimedMinVersion);
  const highest = Math.min(maxVersion, ours.maxVersion);
  return lowest <= highest ? [{ apiKey, minVersion: lowest, maxVersion: highest }] : [];
};

export class FrameRecorder {
  /** Named on the frames recorded from now on. */
  client = 'unnamed';
  readonly frames: RecordedFrame[] = [];
  /** What went wrong while reading along; the bytes went through all the same. */
  readonly troubles: string[] = [];
  readonly #taps = new Map<string, Promise<Address>>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  /** The tap's address for one broker's, opened when first needed. */
  async tapFor(upstream: Address): Promise<Address> {
    const key = `${upstream.host}:${upstream.port}`;
    const known = this.#taps.get(key) ?? this.#listen(upstream);
    this.#taps.set(key, known);
    return await known;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#servers.map(async (server) => await new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }

  async #listen(upstream: Address): Promise<Address> {
    const server = createServer((socket) => this.#join(socket, upstream));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
  }

  #join(client: Socket, upstream: Address): void {
    const broker = connect(upstream);
    const asked = new Map<number, Asked>();
    const both = [client, broker];
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    const requests = new FrameSplitter();
    client.on('data', (chunk: Buffer) => {
      broker.write(chunk);
      for (const frame of requests.push(chunk)) this.#noteRequest(frame, asked);
    });
    const responses = new FrameSplitter();
    let order = Promise.resolve();
    broker.on('data', (chunk: Buffer) => {
      for (const frame of responses.push(chunk)) {
        order = order.then(async () => void client.write(withLength(await this.#passResponse(frame, asked))));
      }
    });
  }

  #noteRequest(frame: Buffer, asked: Map<number, Asked>): void {
    const [key, version, correlationId] = [frame.readInt16BE(0), frame.readInt16BE(2), frame.readInt32BE(4)];
    const name = apiTable.find((row) => row.key === key)?.name;
    const label = name ?? `key ${key}`;
    asked.set(correlationId, { name, label, version });
    this.frames.push({ client: this.client, direction: 'request', api: label, version, frame });
  }

  async #passResponse(frame: Buffer, asked: Map<number, Asked>): Promise<Buffer> {
    const question = asked.get(correlationIdOf(frame));
    if (question === undefined) return frame;
    const { name, label, version } = question;
    this.frames.push({ client: this.client, direction: 'response', api: label, version, frame });
    try {
      return name === undefined ? frame : await this.#redirected(name, version, frame);
    } catch (error) {
      this.troubles.push(`${label} v${version}: ${String(error)}`);
      return frame;
    }
  }

  /** The same answer with the tap's addresses in place of the brokers'. */
  async #redirected(name: ApiName, version: number, frame: Buffer): Promise<Buffer> {
    const correlationId = correlationIdOf(frame);
    const redirect = async <T extends Address>(place: T): Promise<T> =>
      place.port > 0 ? { ...place, ...(await this.tapFor({ host: place.host, port: place.port })) } : place;
    const redirectAll = async <T extends Address>(list: readonly T[]): Promise<T[]> =>
      await Promise.all(list.map(redirect));
    const body = decodeResponseFrame(name, version, frame).body;
    if (name === 'ApiVersions') {
      const answer = body as ResponseBody<'ApiVersions'>;
      const changed = { ...answer, apiKeys: answer.apiKeys.flatMap(withinTable) };
      return encodeResponseFrame('ApiVersions', version, correlationId, changed).subarray(4);
    }
    if (name === 'Metadata') {
      const answer = body as ResponseBody<'Metadata'>;
      const changed = { ...answer, brokers: await redirectAll(answer.brokers) };
      return encodeResponseFrame('Metadata', version, correlationId, changed).subarray(4);
    }
    if (name === 'DescribeCluster') {
      const answer = body as ResponseBody<'DescribeCluster'>;
      const changed = { ...answer, brokers: await redirectAll(answer.brokers) };
      return encodeResponseFrame('DescribeCluster', version, correlationId, changed).subarray(4);
    }
    if (name === 'FindCoordinator') {
      const answer = await redirect(body as ResponseBody<'FindCoordinator'>);
      const changed = { ...answer, coordinators: await redirectAll(answer.coordinators) };
      return encodeResponseFrame('FindCoordinator', version, correlationId, changed).subarray(4);
    }
    return frame;
  }
}
