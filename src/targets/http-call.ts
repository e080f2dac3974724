// One HTTP request to an admin listener on this machine, with a deadline. No connection is kept: the other side may be killed,
// paused or restarted between two calls, and a kept socket would report that instead of the answer.
import { request } from 'node:http';
import { describeError, EnvironmentError } from '../errors.ts';
import type { Address } from './target.ts';
import { within } from './wait-for.ts';

export interface HttpCall {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  readonly address: Address;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON when present. */
  readonly body?: unknown;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** More than any list of proxies is; whoever sends more is not who was meant. */
const LONGEST_ANSWER_BYTES = 16 * 1024 * 1024;

const isNoAnswer = ({ method, path, address }: HttpCall, what: string, cause?: unknown): EnvironmentError =>
  new EnvironmentError(
    'TARGET_ADMIN_ANSWER',
    `${method} ${path} at ${address.host}:${address.port} was answered with ${what}.`,
    { hint: 'See that the address is that of the Toxiproxy, or node, that was meant.', cause },
  );

const exchange = async (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> =>
  await new Promise((resolve, reject) => {
    const payload = call.body === undefined ? '' : JSON.stringify(call.body);
    const outgoing = request(
      {
        host: call.address.host,
        port: call.address.port,
        method: call.method,
        path: call.path,
        headers: { 'content-length': Buffer.byteLength(payload), 'content-type': 'application/json' },
        agent: false,
        signal,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > LONGEST_ANSWER_BYTES)
            incoming.destroy(isNoAnswer(call, `more than ${LONGEST_ANSWER_BYTES} bytes`));
        });
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });

/** Sends it and waits for the whole answer, whatever its status; throws EnvironmentError when there is none in time. */
export const httpCall = async (call: HttpCall): Promise<HttpAnswer> => {
  try {
    return await within(call.deadlineMs, call.signal, async (signal) => await exchange(call, signal));
  } catch (thrown) {
    call.signal?.throwIfAborted();
    if (thrown instanceof EnvironmentError && thrown.code === 'TARGET_ADMIN_ANSWER') throw thrown;
    throw new EnvironmentError(
      'TARGET_ADMIN_UNREACHABLE',
      `${call.method} ${call.path} at ${call.address.host}:${call.address.port} got no answer within ${call.deadlineMs} ms.`,
      { hint: `Look at the logs of the run: the process may have ended (${describeError(thrown)}).`, cause: thrown },
    );
  }
};

/** The same, for calls that must be answered 2xx with JSON (or nothing, which reads as undefined). */
export const httpJson = async (call: HttpCall): Promise<unknown> => {
  const answer = await httpCall(call);
  if (answer.status < 200 || answer.status > 299) {
    throw new EnvironmentError(
      'TARGET_ADMIN_REFUSED',
      `${call.method} ${call.path} at ${call.address.host}:${call.address.port} was answered ${answer.status}: ${answer.text.slice(0, 300)}`,
      { hint: 'Look at the logs of the run for what the process says about it.' },
    );
  }
  if (answer.text.trim() === '') return undefined;
  try {
    return JSON.parse(answer.text);
  } catch (thrown) {
    throw isNoAnswer(call, 'what is no JSON', thrown);
  }
};
