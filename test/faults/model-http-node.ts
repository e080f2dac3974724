// An HTTP node in this process, for tests of faults: an object store over a map, or a controller that knows no path. It can be
// stopped, frozen and started again on the same port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listenAt } from '../../src/embedded/link-proxy/address.ts';

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export class ModelHttpNode {
  /** Path → bytes. */
  readonly objects = new Map<string, Buffer>();
  port = 0;
  delayMs = 0;
  isFull = false;
  /** Answers writes as if it kept them. */
  isForgetful = false;
  #server: Server | undefined;
  #frozen: (() => void)[] | undefined;

  get ports(): readonly number[] {
    return [this.port];
  }

  async listen(): Promise<void> {
    const server = createServer((message, answer) => {
      // A request that is cut off before its end takes no effect.
      const take = (): void => void this.#take(message, answer).catch(() => undefined);
      if (this.#frozen === undefined) take();
      else this.#frozen.push(take);
    });
    ({ port: this.port } = await listenAt(server, { host: '127.0.0.1', port: this.port }));
    this.#server = server;
  }

  async die(): Promise<void> {
    this.#frozen = undefined;
    const server = this.#server;
    await new Promise((done) => {
      server?.close(done);
      server?.closeAllConnections();
    });
  }

  freeze(): void {
    this.#frozen = [];
  }

  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const resume of waiting) resume();
  }

  async #take(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (this.delayMs > 0) await delay(this.delayMs);
    const path = decodeURIComponent(message.url ?? '');
    if (message.method === 'PUT') {
      const body = await bodyOf(message);
      if (this.isForgetful) {
        answer.end();
        return;
      }
      this.objects.set(path, body);
    }
    const isList = path.includes('?list-type=');
    const found = isList ? Buffer.from('<ListBucketResult/>') : this.objects.get(path);
    answer.writeHead(found === undefined ? 404 : 200, { 'content-length': found?.length ?? 0 });
    answer.end(message.method === 'HEAD' ? undefined : found);
  }
}
