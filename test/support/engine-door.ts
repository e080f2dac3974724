// A door before the Docker engine: whoever comes by it reaches the engine, until it is shut and everybody behind it is out. And
// what fills the engine's memory of events meanwhile.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

const ENGINE = '/var/run/docker.sock';

export class EngineDoor implements AsyncDisposable {
  readonly #path: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  /** A door at this path. */
  static async open(path: string): Promise<EngineDoor> {
    const door = new EngineDoor(path);
    await door.open();
    return door;
  }

  get url(): string {
    return `unix://${this.#path}`;
  }

  async open(): Promise<void> {
    this.#server = createServer((socket) => this.#let(socket)).listen(this.#path);
    await once(this.#server, 'listening');
  }

  /** Nobody comes in any more, and whoever is in is out. */
  shut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    rmSync(this.#path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shut();
    await Promise.resolve();
  }

  #let(socket: Socket): void {
    const inside = createConnection(ENGINE);
    for (const each of [socket, inside]) {
      this.#sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        this.#sockets.delete(each);
        socket.destroy();
        inside.destroy();
      });
    }
    socket.pipe(inside);
    inside.pipe(socket);
  }
}

/** Names a program to the engine that could be run in a container, which is an event of that container and nothing more. */
export const nameProgram = async (container: string): Promise<void> => {
  const body = JSON.stringify({ Cmd: ['true'] });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const order = { socketPath: ENGINE, method: 'POST', path: `/containers/${container}/exec`, headers };
  const asked = request(order).end(body);
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  await once(answer.resume(), 'end');
};
