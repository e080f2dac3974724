// The volume process on the network: one request over HTTP each, what is asked in one header and the answer in another, bytes in the
// bodies. A write is performed part by part as it arrives, so that one that breaks off leaves what had come.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { describeError } from '../../errors.ts';
import { ANSWER_HEADER, REQUEST_HEADER, type VolumeAnswer, type VolumeRequest } from './protocol.ts';
import type { VolumeService } from './volume-service.ts';

const IDLE_CONNECTION_MS = 300_000;

const perform = async (
  service: VolumeService,
  request: VolumeRequest,
  message: IncomingMessage,
): Promise<VolumeAnswer> => {
  let skip = 0;
  let answer: VolumeAnswer | undefined;
  for await (const part of message as AsyncIterable<Buffer>) {
    answer = await service.perform(request, part, skip);
    skip += part.length;
    if (answer.status !== 'done') break;
  }
  return answer ?? (await service.perform(request));
};

const bodyOf = ({ bytes, names }: VolumeAnswer): Uint8Array =>
  names === undefined ? (bytes ?? new Uint8Array(0)) : Buffer.from(JSON.stringify(names));

const serve = async (service: VolumeService, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const asked = message.headers[REQUEST_HEADER];
  if (typeof asked !== 'string') {
    await pipeline(message, response.writeHead(200));
    return;
  }
  const answer = await perform(service, JSON.parse(asked) as VolumeRequest, message);
  const body = bodyOf(answer);
  const header = JSON.stringify(answer, (key, value: unknown) =>
    key === 'bytes' || key === 'names' ? undefined : value,
  );
  response.writeHead(200, { [ANSWER_HEADER]: header, 'content-length': body.length });
  response.end(body);
};

/**
 * An HTTP server; the caller makes it listen. Whoever asks nothing gets back what he sent, so that one can see that it is well, and what
 * the path to it carries.
 */
export const createVolumeServer = (service: VolumeService, onTrouble: (text: string) => void): Server =>
  createServer({ keepAliveTimeout: IDLE_CONNECTION_MS, noDelay: true }, (message, response) => {
    serve(service, message, response).catch((thrown: unknown) => {
      // A request that broke off is no trouble of ours.
      if (message.complete) onTrouble(`${String(message.headers[REQUEST_HEADER])}: ${describeError(thrown)}`);
      response.destroy();
    });
  });
