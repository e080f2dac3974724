// The volume process on the network: one request over HTTP each, what is asked in one header and the answer in another, bytes in the
// bodies. A write is performed part by part as it arrives, so that one that breaks off leaves what had come. Disturbances are asked for
// by paths of their own.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../../clock.ts';
import { describeError, InputError } from '../../errors.ts';
import { Disturbances, IoFailure } from './disturbances.ts';
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

/** Where disturbances are made: `GET /disturbances`, `PUT` and `DELETE /disturbances/<name>`. */
const DISTURBANCES = '/disturbances';

/** As a server of files would say it. */
const STATUS_OF: Readonly<Record<string, number>> = { ENOSPC: 507, EROFS: 403 };

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const jsonOf = async (message: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const part of message as AsyncIterable<Buffer>) text += part.toString();
  return text === '' ? undefined : JSON.parse(text);
};

const govern = async (
  disturbances: Disturbances,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const name = (message.url ?? '').slice(DISTURBANCES.length + 1);
  const body = await jsonOf(message);
  try {
    if (message.method === 'PUT') disturbances.set(name, body);
    const wasThere = message.method === 'DELETE' ? disturbances.remove(name) : true;
    respond(response, wasThere ? 200 : 404, disturbances.list());
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    respond(response, 400, { error: thrown.message });
  }
};

interface Volumes {
  readonly service: VolumeService;
  readonly disturbances: Disturbances;
}

const serve = async (
  { service, disturbances }: Volumes,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const asked = message.headers[REQUEST_HEADER];
  if (message.url?.startsWith(DISTURBANCES) === true) {
    await govern(disturbances, message, response);
    return;
  }
  if (typeof asked !== 'string') {
    await pipeline(message, response.writeHead(200));
    return;
  }
  const request = JSON.parse(asked) as VolumeRequest;
  await disturbances.admit(request, Number(message.headers['content-length'] ?? 0));
  const answer = await perform(service, request, message);
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
export const createVolumeServer = (service: VolumeService, onTrouble: (text: string) => void): Server => {
  const volumes = { service, disturbances: new Disturbances(systemClock) };
  return createServer({ keepAliveTimeout: IDLE_CONNECTION_MS, noDelay: true }, (message, response) => {
    serve(volumes, message, response).catch((thrown: unknown) => {
      if (thrown instanceof IoFailure) {
        message.resume();
        respond(response, STATUS_OF[thrown.errno] ?? 500, { errno: thrown.errno });
        return;
      }
      // A request that broke off is no trouble of ours.
      if (message.complete) onTrouble(`${String(message.headers[REQUEST_HEADER])}: ${describeError(thrown)}`);
      response.destroy();
    });
  });
};
