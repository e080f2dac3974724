// A server that has stopped accepting: its process is stopped and its backlog is full, so that what comes next is dropped like a packet
// on its way to a machine that is gone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Address } from '../../../src/vocabulary.ts';

const HOST = '127.0.0.1';
/** More than any backlog of 1 holds. */
const FILLING = 8;
const SETTLE_MS = 300;

export interface SilentUpstream extends AsyncDisposable {
  readonly address: Address;
}

const PROGRAM = `const server = require('node:net').createServer((socket) => socket.on('error', () => undefined).resume());
server.listen({ host: '${HOST}', port: 0, backlog: 1 }, () => process.stdout.write(server.address().port + '\\n'));`;

const end = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

/** Connects until a connection is not answered any more. */
export const startSilentUpstream = async (): Promise<SilentUpstream> => {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const address = { host: HOST, port: Number(line.toString()) };
  child.kill('SIGSTOP');
  const sockets: Socket[] = [];
  const isAnswered = async (): Promise<boolean> => {
    const socket = new Socket().on('error', () => undefined);
    sockets.push(socket);
    const connected = new Promise<boolean>((resolve) => {
      socket.connect(address.port, address.host, () => resolve(true));
      setTimeout(() => resolve(false), SETTLE_MS);
    });
    return await connected;
  };
  for (let tried = 0; tried < FILLING && (await isAnswered()); tried++);
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await end(child);
    },
  };
};
