// The listeners of the store. All serve the same objects; which one a request came in by stands in the request log, so that
// evidence can tell the path it took. Clients that stop talking in the middle are cut off after a bounded time.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import { type Answer, emptyAnswer, xmlAnswer } from './answer.ts';
import type { Call } from './call.ts';
import type { SignedRequest } from './chunk-signatures.ts';
import type { Counters } from './counters.ts';
import { OPERATIONS } from './operations.ts';
import { assertDeclaredSize, readUploadBody } from './request-body.ts';
import type { RequestLog } from './request-log.ts';
import { type Operation, operationOf, parseTarget, type RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { type Credentials, verifySignature } from './signature.ts';
import type { ObjectStore } from './store.ts';
import { errorDocument } from './xml.ts';

export interface ServerLimits {
  readonly maxObjectBytes: number;
  readonly minPartBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
}

export interface ServerParts {
  readonly store: ObjectStore;
  readonly log: RequestLog;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** Told of what went wrong in the store itself, in one line: damage, no space, a file system error. */
  readonly onTrouble: (text: string) => void;
  /** Undefined accepts every request, signed or not. */
  readonly credentials?: Credentials;
}

/** What became known of a request while it was served; the log line is made of it. */
interface Visit {
  /** As the client is told, to be named in questions. */
  readonly requestId: string;
  readonly at: number;
  readonly monotonicMs: number;
  readonly listener: string;
  readonly remotePort: number;
  op: Operation | 'unknown';
  target: RequestTarget | undefined;
  requestBytes: number;
}

const IDLE_CONNECTION_MS = 300_000;

/** A client that waits to hear whether its body is wanted, and how it is told so. */
type Invite = (() => void) | undefined;

/** Throws what verifySignature throws; undefined where signatures are not looked at. */
const admit = ({ credentials, clock }: ServerParts, request: IncomingMessage): SignedRequest | undefined =>
  credentials === undefined ? undefined : verifySignature(request, credentials, clock.wall());

const perform = async (parts: ServerParts, request: IncomingMessage, visit: Visit, invite: Invite): Promise<Answer> => {
  const target = parseTarget(request.url ?? '');
  visit.target = target;
  const operation = operationOf(request, target);
  visit.op = operation;
  const signed = admit(parts, request);
  const { store, clock, limits } = parts;
  const readBody: Call['readBody'] = async (payload = 'checksummed') => {
    assertDeclaredSize(request, limits.maxObjectBytes);
    invite?.();
    const isChecksummed = payload === 'checksummed';
    return await readUploadBody(request, { limitBytes: limits.maxObjectBytes, isChecksummed, signed });
  };
  return await OPERATIONS[operation]({
    store,
    target,
    headers: request.headers,
    limits,
    wall: () => clock.wall(),
    readBody,
  });
};

const asS3Error = (thrown: unknown, request: IncomingMessage, parts: ServerParts): S3Error => {
  if (thrown instanceof S3Error) return thrown;
  const text = describeError(thrown);
  parts.onTrouble(`${request.method ?? ''} ${request.url ?? ''}: ${text}`);
  return new S3Error('InternalError', text);
};

const refusal = (error: S3Error, request: IncomingMessage, { requestId }: Visit): Answer => {
  if (request.method === 'HEAD' || error.status === 304) {
    return emptyAnswer(error.status, { ...error.headers, 'x-ackproof-code': error.s3Code });
  }
  const document = errorDocument(error.s3Code, error.message, request.url ?? '', requestId);
  return xmlAnswer(error.status, document, error.headers);
};

/** A body that breaks off, because its file turned out to be damaged or the client left, takes the connection with it. */
const send = (parts: ServerParts, response: ServerResponse, answer: Answer, headers: Answer['headers']): void => {
  response.writeHead(answer.status, { ...answer.headers, ...headers });
  const { body } = answer;
  if (!(body instanceof Readable)) {
    response.end(body);
    return;
  }
  pipeline(body, response).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') parts.onTrouble(describeError(thrown));
    response.destroy();
  });
};

const bodyBytes = ({ body, headers }: Answer): number =>
  body instanceof Readable ? Number(headers['content-length'] ?? 0) : Buffer.byteLength(body);

const record = (parts: ServerParts, request: IncomingMessage, visit: Visit, answer: Answer, aborted: boolean): void => {
  const { op, target } = visit;
  parts.counters.add(visit.listener, op, answer.status);
  parts.log.add({
    at: visit.at,
    monotonicMs: visit.monotonicMs,
    listener: visit.listener,
    remotePort: visit.remotePort,
    method: request.method ?? '',
    op,
    bucket: target?.bucket ?? '',
    key: target?.key ?? '',
    range: answer.range ?? null,
    status: answer.status,
    requestBytes: visit.requestBytes,
    responseBytes: aborted ? 0 : bodyBytes(answer),
    durationMs: Math.round((parts.clock.now() - visit.monotonicMs) * 1000) / 1000,
    client: request.headers['x-ackproof-client']?.toString() ?? null,
    aborted,
  });
};

const serve = async (
  parts: ServerParts,
  listener: string,
  request: IncomingMessage,
  response: ServerResponse,
  invite?: Invite,
): Promise<void> => {
  const visit: Visit = {
    requestId: randomBytes(8).toString('hex').toUpperCase(),
    at: parts.clock.wall(),
    monotonicMs: parts.clock.now(),
    listener,
    remotePort: request.socket.remotePort ?? 0,
    op: 'unknown',
    target: undefined,
    requestBytes: 0,
  };
  const count = (chunk: Buffer): void => {
    visit.requestBytes += chunk.length;
  };
  request.on('data', count).pause();
  let isInvited = invite === undefined;
  const inviteOnce = (): void => {
    if (!isInvited) invite?.();
    isInvited = true;
  };
  let answer: Answer;
  try {
    answer = await perform(parts, request, visit, inviteOnce);
  } catch (thrown) {
    answer = refusal(asS3Error(thrown, request, parts), request, visit);
  }
  response.on('error', () => undefined);
  let handedOver = false;
  response.on('finish', () => {
    handedOver = request.socket.errored === null;
  });
  response.on('close', () => record(parts, request, visit, answer, !handedOver));
  if (response.destroyed) record(parts, request, visit, answer, true);
  else {
    // Whoever was not invited may send the body or not: what comes next on this connection cannot be told apart.
    const close = isInvited ? {} : { connection: 'close' };
    send(parts, response, answer, { 'x-amz-request-id': visit.requestId, ...close });
  }
  request.resume();
};

/** An HTTP server for one listener; the caller makes it listen. */
export const createStoreServer = (parts: ServerParts, listener: string): Server => {
  const handle = (request: IncomingMessage, response: ServerResponse, invite?: Invite): void => {
    serve(parts, listener, request, response, invite).catch((thrown: unknown) => {
      parts.onTrouble(`${request.method ?? ''} ${request.url ?? ''}: ${describeError(thrown)}`);
      response.destroy();
    });
  };
  const server = createServer(
    {
      headersTimeout: parts.limits.headersTimeoutMs,
      requestTimeout: parts.limits.requestTimeoutMs,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, parts.limits.headersTimeoutMs / 4)),
      maxHeaderSize: 32 * 1024,
      noDelay: true,
    },
    (request, response) => handle(request, response),
  );
  return server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, () => response.writeContinue());
  });
};
