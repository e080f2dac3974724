// A canary on a path that speaks HTTP: the object store through a link. Each probe has a connection of its own.
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { systemClock } from '../../clock.ts';
import type { Address } from '../../targets/target.ts';
import { addressText, classifySocketError, type PassedBytes, ProbeFailure, type ProbeResult } from './probe.ts';

export interface HttpProbe {
  readonly address: Address;
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly path: string;
  readonly body?: Buffer;
  /** Beside or instead of its own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As far as it came. */
  readonly body: Buffer;
  readonly passed: PassedBytes;
}

/** How a request ended, and what was answered, also where the answer broke off. */
export type HttpAnswered = ProbeResult & { readonly passed?: PassedBytes; readonly answer?: HttpAnswer };

/** An answer that began, and did not come to its end. */
class BrokenAnswer extends ProbeFailure {
  readonly answer: HttpAnswer;

  constructor(failure: ProbeFailure, what: string, answer: HttpAnswer) {
    super(failure.class, what, failure.cause);
    this.answer = answer;
  }
}

/** Sends the request and reads the whole answer; rejects with a ProbeFailure. */
const exchange = async (probe: HttpProbe, signal: AbortSignal): Promise<HttpAnswer> => {
  const what = `${probe.method} ${addressText(probe.address)}${probe.path}`;
  const late = new AbortController();
  const done = new AbortController();
  void systemClock.sleep(probe.deadlineMs, done.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const either = AbortSignal.any([signal, late.signal]);
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const failureOf = (error: unknown): ProbeFailure =>
        new ProbeFailure(either.aborted ? 'timeout' : classifySocketError(error), what, error);
      const sent: ClientRequest = request(
        {
          ...probe.address,
          method: probe.method,
          path: probe.path,
          agent: false,
          signal: either,
          headers: {
            'content-length': probe.body?.length ?? 0,
            'x-ackproof-client': 'ackproof-canary',
            ...probe.headers,
            // Like the load's own connections: asked to close, a server would end it whatever became of its answer.
            connection: 'keep-alive',
          },
        },
        (answer: IncomingMessage) => {
          const { socket } = answer;
          const parts: Buffer[] = [];
          const taken = (): HttpAnswer => ({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts),
            passed: { upstream: socket.bytesWritten, downstream: socket.bytesRead },
          });
          answer.on('error', (error) => reject(new BrokenAnswer(failureOf(error), what, taken())));
          answer.on('end', () => {
            resolve(taken());
            sent.destroy();
          });
          answer.on('data', (part: Buffer) => parts.push(part));
        },
      );
      sent.on('error', (error) => reject(failureOf(error)));
      sent.end(probe.body);
    });
  } finally {
    done.abort();
  }
};

/** `ok` for any 2xx, `http:<status>` for other answers, else how the connection ended; with the answer, as far as it came. */
export const probeHttp = async (probe: HttpProbe, signal: AbortSignal): Promise<HttpAnswered> => {
  const started = systemClock.now();
  try {
    const answer = await exchange(probe, signal);
    const { status, passed } = answer;
    const isFine = status >= 200 && status < 300;
    return { class: isFine ? 'ok' : `http:${status}`, ms: systemClock.now() - started, passed, answer };
  } catch (thrown) {
    const ms = systemClock.now() - started;
    if (thrown instanceof BrokenAnswer) return { class: thrown.class, ms, answer: thrown.answer };
    if (thrown instanceof ProbeFailure) return { class: thrown.class, ms };
    throw thrown;
  }
};
