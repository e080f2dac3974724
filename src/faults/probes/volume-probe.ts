// A canary of volumes: it writes a scratch volume, or a file, of its own, syncs it and reads it back, as brokers do theirs. It has its own
// names, and nobody looks at them: they are gone with the cluster, as all volumes are.
import { systemClock } from '../../clock.ts';
import { EnvironmentError } from '../../errors.ts';
import type { Address, VolumeIo } from '../../targets/target.ts';
import { type HttpAnswered, probeHttp } from './http-probe.ts';
import { describeProbe, type ProbeResult } from './probe.ts';

const REQUEST_HEADER = 'x-volume-request';
const ANSWER_HEADER = 'x-volume-answer';
const MAKE_DEADLINE_MS = 5000;
const BODY = Buffer.alloc(512, '-');

type Request = Readonly<Record<string, unknown>> & { readonly op: string };

export interface Scratch {
  readonly name: string;
  /** Write, sync and read, one after the other; how the first ended that did not go well, or how long all took. */
  readonly probe: (deadlineMs: number, signal: AbortSignal) => Promise<ProbeResult>;
}

interface Asked {
  readonly request: Request;
  readonly deadlineMs: number;
  readonly body?: Buffer;
}

const ask = async (
  address: Address,
  { request, deadlineMs, body }: Asked,
  signal: AbortSignal,
): Promise<HttpAnswered> =>
  await probeHttp(
    {
      address,
      method: 'PUT',
      path: `/${request.op}`,
      headers: { [REQUEST_HEADER]: JSON.stringify(request) },
      deadlineMs,
      ...(body !== undefined && { body }),
    },
    signal,
  );

const handleIn = (headers: NonNullable<HttpAnswered['answer']>['headers'] | undefined): unknown => {
  const said = headers?.[ANSWER_HEADER];
  return typeof said === 'string' ? (JSON.parse(said) as { readonly handle?: unknown }).handle : undefined;
};

/** What a probe asks, in order, of a volume or of a file. */
const requestsOf = (name: string, handle: unknown): readonly Request[] =>
  handle === undefined
    ? [
        { op: 'write', volume: name, holder: name, at: 0 },
        { op: 'sync', volume: name, holder: name },
        { op: 'read', volume: name, at: 0, length: BODY.length },
      ]
    : [
        { op: 'put', handle },
        { op: 'commit', handle },
        { op: 'get', path: name },
      ];

/**
 * Makes the scratch, by `address`, the path of a broker's own I/O.
 * @throws EnvironmentError where it cannot be made.
 */
export const openScratch = async (
  { isShared }: Pick<VolumeIo, 'isShared'>,
  name: string,
  address: Address,
  signal: AbortSignal,
): Promise<Scratch> => {
  const request = isShared ? { op: 'create', path: name } : { op: 'attach', volume: name, holder: name };
  const made = await ask(address, { request, deadlineMs: MAKE_DEADLINE_MS }, signal);
  if (made.class !== 'ok') {
    throw new EnvironmentError('CANARY_BASELINE', `The scratch ${name} could not be made: ${describeProbe(made)}.`, {
      hint: 'Let the cluster come to rest before the fault, or look at its logs.',
    });
  }
  const requests = requestsOf(name, handleIn(made.answer?.headers));
  return {
    name,
    probe: async (deadlineMs, own) => {
      const started = systemClock.now();
      for (const [index, each] of requests.entries()) {
        const leftMs = Math.max(1, deadlineMs - (systemClock.now() - started));
        const asked = { request: each, deadlineMs: leftMs, ...(index === 0 && { body: BODY }) };
        const { class: ended } = await ask(address, asked, own);
        if (ended !== 'ok') return { class: ended, ms: systemClock.now() - started };
      }
      return { class: 'ok', ms: systemClock.now() - started };
    },
  };
};
