// A canary on a path that speaks HTTP: the object store through a link. Each probe has a connection of its own.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { systemClock } from '../../clock.ts';
import type { Address } from '../../targets/target.ts';
import { addressText, classifySocketError, type PassedBytes, ProbeFailure, type ProbeResult } from './probe.ts';

export interface HttpProbe {
  readonly address: Address;
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly path: string;
  readonly body?: Buffer;
  readonly deadlineMs: number;
}

interface HttpAnswer {
  readonly status: number;
  readonly passed: PassedBytes;
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
      const fail = (error: unknown): void => {
        reject(new ProbeFailure(either.aborted ? 'timeout' : classifySocketError(error), what, error));
      };
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
            // Like the load's own connections: asked to close, a server would end it whatever became of its answer.
            connection: 'keep-alive',
          },
        },
        (answer: IncomingMessage) => {
          const { socket } = answer;
          answer.on('error', fail);
          answer.on('end', () => {
            const passed = { upstream: socket.bytesWritten, downstream: socket.bytesRead };
            resolve({ status: answer.statusCode ?? 0, passed });
            sent.destroy();
          });
          answer.resume();
        },
      );
      sent.on('error', fail);
      sent.end(probe.body);
    });
  } finally {
    done.abort();
  }
};

/** `ok` for any 2xx, `http:<status>` for other answers, else how the connection ended; with what passed on an answered one. */
export const probeHttp = async (
  probe: HttpProbe,
  signal: AbortSignal,
): Promise<ProbeResult & { readonly passed?: PassedBytes }> => {
  const started = systemClock.now();
  try {
    const { status, passed } = await exchange(probe, signal);
    const isFine = status >= 200 && status < 300;
    return { class: isFine ? 'ok' : `http:${status}`, ms: systemClock.now() - started, passed };
  } catch (thrown) {
    if (thrown instanceof ProbeFailure) return { class: thrown.class, ms: systemClock.now() - started };
    throw thrown;
  }
};
