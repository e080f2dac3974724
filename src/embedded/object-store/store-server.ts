// The listeners of the store. All serve the same objects; which one a request came in by stands in the request log, so that
// evidence can tell the path it took. Clients that stop talking in the middle are cut off after a bounded time.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import { type Answer, emptyAnswer, xmlAnswer } from './answer.ts';
import {
  bucketLocation,
  createBucket,
  deleteObjects,
  headBucket,
  listBuckets,
  listObjects,
} from './bucket-operations.ts';
import type { Counters } from './counters.ts';
import { deleteObject, getObject, headObject, putObject } from './object-operations.ts';
import type { RequestLog } from './request-log.ts';
import { type Operation, operationOf, parseTarget, type RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { type Credentials, verifySignature } from './signature.ts';
import type { ObjectStore } from './store.ts';
import { errorDocument } from './xml.ts';

export interface ServerLimits {
  readonly maxObjectBytes: number;
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
  readonly at: number;
  readonly monotonicMs: number;
  readonly listener: string;
  readonly remotePort: number;
  op: Operation | 'unknown';
  target: RequestTarget | undefined;
  requestBytes: number;
}

const IDLE_CONNECTION_MS = 300_000;

/** Throws AccessDenied or SignatureDoesNotMatch. */
const admit = ({ credentials }: ServerParts, request: IncomingMessage): void => {
  if (credentials !== undefined) verifySignature(request, credentials);
};

const perform = async (parts: ServerParts, request: IncomingMessage, visit: Visit): Promise<Answer> => {
  const target = parseTarget(request.url ?? '');
  visit.target = target;
  const operation = operationOf(request, target);
  visit.op = operation;
  admit(parts, request);
  const { store, clock, limits } = parts;
  const { bucket, key } = target;
  switch (operation) {
    case 'PutObject':
      return await putObject(store.bucket(bucket), key, request, { ...limits, wall: () => clock.wall() });
    case 'GetObject':
      return await getObject(store.bucket(bucket), key, request);
    case 'HeadObject':
      return await headObject(store.bucket(bucket), key, request);
    case 'DeleteObject':
      return await deleteObject(store.bucket(bucket), key, request);
    case 'DeleteObjects':
      return await deleteObjects(store, bucket, request, limits.maxObjectBytes);
    case 'ListObjectsV2':
      return await listObjects(store, target);
    case 'CreateBucket':
      return await createBucket(store, bucket);
    case 'HeadBucket':
      return headBucket(store, bucket);
    case 'GetBucketLocation':
      return bucketLocation(store, bucket);
    case 'ListBuckets':
      return listBuckets(store);
  }
};

const asS3Error = (thrown: unknown, request: IncomingMessage, parts: ServerParts): S3Error => {
  if (thrown instanceof S3Error) return thrown;
  const text = describeError(thrown);
  parts.onTrouble(`${request.method ?? ''} ${request.url ?? ''}: ${text}`);
  return new S3Error('InternalError', text);
};

const refusal = (error: S3Error, request: IncomingMessage): Answer => {
  if (request.method === 'HEAD' || error.status === 304) {
    return emptyAnswer(error.status, { ...error.headers, 'x-ackproof-code': error.s3Code });
  }
  const document = errorDocument(error.s3Code, error.message, request.url ?? '', String(request.socket.remotePort));
  return xmlAnswer(error.status, document, error.headers);
};

const send = (response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, { ...answer.headers });
  response.end(answer.body);
};

const record = (parts: ServerParts, request: IncomingMessage, visit: Visit, answer: Answer, aborted: boolean): void => {
  const { op, target, ...arrived } = visit;
  parts.counters.add(visit.listener, op, answer.status);
  parts.log.add({
    at: arrived.at,
    monotonicMs: arrived.monotonicMs,
    listener: arrived.listener,
    remotePort: arrived.remotePort,
    method: request.method ?? '',
    op,
    bucket: target?.bucket ?? '',
    key: target?.key ?? '',
    range: answer.range ?? null,
    status: answer.status,
    requestBytes: arrived.requestBytes,
    responseBytes: aborted ? 0 : Buffer.byteLength(answer.body),
    durationMs: Math.round((parts.clock.now() - arrived.monotonicMs) * 1000) / 1000,
    client: request.headers['x-ackproof-client']?.toString() ?? null,
    aborted,
  });
};

const serve = async (
  parts: ServerParts,
  listener: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const visit: Visit = {
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
  let answer: Answer;
  try {
    answer = await perform(parts, request, visit);
  } catch (thrown) {
    answer = refusal(asS3Error(thrown, request, parts), request);
  }
  response.on('error', () => undefined);
  let handedOver = false;
  response.on('finish', () => {
    handedOver = request.socket.errored === null;
  });
  response.on('close', () => record(parts, request, visit, answer, !handedOver));
  if (response.destroyed) record(parts, request, visit, answer, true);
  else send(response, answer);
  request.resume();
};

/** An HTTP server for one listener; the caller makes it listen. */
export const createStoreServer = (parts: ServerParts, listener: string): Server =>
  createServer(
    {
      headersTimeout: parts.limits.headersTimeoutMs,
      requestTimeout: parts.limits.requestTimeoutMs,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, parts.limits.headersTimeoutMs / 4)),
      maxHeaderSize: 32 * 1024,
      noDelay: true,
    },
    (request, response) => {
      serve(parts, listener, request, response).catch((thrown: unknown) => {
        parts.onTrouble(`${request.method ?? ''} ${request.url ?? ''}: ${describeError(thrown)}`);
        response.destroy();
      });
    },
  );
