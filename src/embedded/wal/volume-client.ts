// The broker's way to the volume process: one request over HTTP, with a deadline and no retries.
import { Agent } from 'node:http';
import type { Endpoint } from '../cluster-view.ts';
import { StoreUnavailable } from '../log/store-unavailable.ts';
import { exchange } from '../s3-client/http-exchange.ts';
import {
  ANSWER_HEADER,
  REQUEST_HEADER,
  type VolumeAnswer,
  type VolumeRequest,
  type VolumeTransport,
} from '../volume/protocol.ts';

export interface VolumeClientOptions {
  readonly endpoint: Endpoint;
  /** Deadline of each call, connecting included. */
  readonly timeoutMs: number;
  readonly maxSockets: number;
}

export class VolumeClient implements VolumeTransport {
  readonly #options: VolumeClientOptions;
  readonly #agent: Agent;

  constructor(options: VolumeClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.maxSockets, scheduling: 'lifo' });
  }

  async call(request: VolumeRequest, bytes?: Uint8Array): Promise<VolumeAnswer> {
    const { endpoint, timeoutMs } = this.#options;
    const reply = await exchange({
      agent: this.#agent,
      endpoint,
      method: 'POST',
      path: `/${request.op}`,
      headers: { [REQUEST_HEADER]: JSON.stringify(request) },
      body: bytes ?? new Uint8Array(0),
      timeoutMs,
    });
    const said = reply.headers[ANSWER_HEADER];
    if (typeof said !== 'string') throw new StoreUnavailable(`${request.op}: an answer without one`, true);
    const answer = JSON.parse(said) as VolumeAnswer;
    if (request.op === 'names') return { ...answer, names: JSON.parse(reply.body.toString()) as string[] };
    return { ...answer, bytes: reply.body };
  }
}
