// Stands before the control API of a Toxiproxy and writes down what it is asked, in order: what a wrapper does, rather than what it
// says it does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Address } from '../../../src/vocabulary.ts';

const HOST = '127.0.0.1';

export interface Recorder extends AsyncDisposable {
  /** Where the wrapper is to ask. */
  readonly admin: Address;
  /** `PATCH /proxies/link {"enabled":false}`. */
  readonly calls: readonly string[];
}

export const startRecorder = async (real: Address): Promise<Recorder> => {
  const calls: string[] = [];
  const server = createServer((message, answer) => {
    let body = '';
    message.on('data', (chunk: Buffer) => (body += chunk.toString()));
    message.on('end', () => {
      const [method = '', path = ''] = [message.method, message.url];
      calls.push(`${method} ${path} ${body}`.trim());
      const url = `http://${real.host}:${real.port}${path}`;
      fetch(url, { method, ...(body === '' ? {} : { body }) }).then(
        async (response) => answer.writeHead(response.status).end(await response.text()),
        () => answer.destroy(),
      );
    });
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    admin: { host: HOST, port },
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
