// Trouble with the I/O of volumes, made on purpose: it stands, is slow, is refused, finds no space or a disk that cannot be written. What
// is asked of the device itself and not of what it stores (attach, fence, extent, check) is left alone. Each disturbance has a time to
// live and ends with it, so that it never outlives who asked for it by more than that.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.ts';
import { InputError } from '../../errors.ts';
import { integerIn, type JsonObject, objectOf, textIn, textsIn } from '../read-json.ts';
import type { VolumeRequest } from './protocol.ts';

const KINDS = ['stall', 'latency', 'error', 'full', 'read-only'] as const;
type Kind = (typeof KINDS)[number];
const METHODS = ['read', 'sync', 'write'] as const;
type Method = (typeof METHODS)[number];
type Operation = VolumeRequest['op'];

const READS: ReadonlySet<Operation> = new Set(['read', 'get', 'names']);
const SYNCS: ReadonlySet<Operation> = new Set(['sync', 'commit']);
/** Those that need space are first. */
const GROWS: ReadonlySet<Operation> = new Set(['write', 'put', 'create']);
const SHRINKS: ReadonlySet<Operation> = new Set(['discard', 'remove']);

const methodOf = (op: Operation): Method | undefined => {
  if (READS.has(op)) return 'read';
  if (SYNCS.has(op)) return 'sync';
  return GROWS.has(op) || SHRINKS.has(op) ? 'write' : undefined;
};

interface Disturbance {
  readonly kind: Kind;
  /** Beginnings of names of block volumes; empty: everything. */
  readonly volumes: readonly string[];
  readonly methods: readonly string[];
  readonly ttlMs: number;
  readonly latencyMs: number;
  readonly errno: string;
  /** So much may still be written. */
  readonly leaveBytes: number;
}

/** As it is told. */
export interface ToldDisturbance extends Disturbance {
  readonly name: string;
  /** Requests that it has held, delayed or refused. */
  readonly acted: number;
}

/** The disk said no. */
export class IoFailure extends Error {
  readonly errno: string;

  constructor(errno: string) {
    super(`the disk answers ${errno}`);
    this.errno = errno;
  }
}

const oneOf = <T extends string>(known: readonly T[], value: string): T => {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new InputError('EMBEDDED_BAD_FIELD', `"${value}" is none of ${known.join(', ')}.`, {
    hint: 'Ask for one of these.',
  });
};

const FIELDS = ['kind', 'volumes', 'methods', 'ttlMs', 'latencyMs', 'errno', 'leaveBytes'];

const refuseUnknown = (fields: JsonObject): void => {
  for (const field of Object.keys(fields)) oneOf(FIELDS, field);
};

/** @throws InputError */
const disturbanceIn = (body: unknown): Disturbance => {
  const fields = objectOf(body);
  refuseUnknown(fields);
  const methods = textsIn(fields, 'methods').map((each) => oneOf(METHODS, each));
  return {
    kind: oneOf(KINDS, textIn(fields, 'kind')),
    volumes: textsIn(fields, 'volumes'),
    methods: methods.length === 0 ? METHODS : methods,
    ttlMs: integerIn(fields, 'ttlMs'),
    latencyMs: integerIn(fields, 'latencyMs', 0),
    errno: fields['errno'] === undefined ? 'EIO' : textIn(fields, 'errno'),
    leaveBytes: integerIn(fields, 'leaveBytes', 0),
  };
};

interface Standing {
  readonly what: Disturbance;
  readonly over: AbortController;
  untilMs: number;
  acted: number;
  writtenBytes: number;
}

export class Disturbances {
  readonly #clock: Clock;
  readonly #standing = new Map<string, Standing>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins one, or lets one that is just the same live on. @throws InputError for a body that is no disturbance. */
  set(name: string, body: unknown): void {
    const what = disturbanceIn(body);
    const untilMs = this.#clock.now() + what.ttlMs;
    const known = this.#alive().get(name);
    if (known !== undefined && JSON.stringify(known.what) === JSON.stringify(what)) {
      known.untilMs = untilMs;
      return;
    }
    known?.over.abort();
    const over = new AbortController();
    setMaxListeners(0, over.signal); // all that it holds wait on it
    this.#standing.set(name, { what, over, untilMs, acted: 0, writtenBytes: 0 });
  }

  list(): readonly ToldDisturbance[] {
    return [...this.#alive()].map(([name, { what, acted }]) => ({ name, ...what, acted }));
  }

  /** Whether there was one. What it held goes on. */
  remove(name: string): boolean {
    const known = this.#alive().get(name);
    known?.over.abort();
    return this.#standing.delete(name) && known !== undefined;
  }

  /** Resolves once the request may be performed; `sizeBytes` is what it wants to write. @throws IoFailure */
  async admit(request: VolumeRequest, sizeBytes: number): Promise<void> {
    for (const standing of this.#alive().values()) {
      if (isAbout(standing.what, request)) await this.#act(standing, request.op, sizeBytes);
    }
  }

  async #act(standing: Standing, op: Operation, sizeBytes: number): Promise<void> {
    const { what } = standing;
    switch (what.kind) {
      case 'stall':
        standing.acted++;
        while (this.#isAlive(standing)) await this.#wait(standing.untilMs - this.#clock.now(), standing);
        return;
      case 'latency':
        standing.acted++;
        await this.#wait(what.latencyMs, standing);
        return;
      case 'error':
        standing.acted++;
        throw new IoFailure(what.errno);
      case 'full':
        if (GROWS.has(op)) takeSpace(standing, sizeBytes);
        return;
      case 'read-only':
        if (READS.has(op)) return;
        standing.acted++;
        throw new IoFailure('EROFS');
    }
  }

  async #wait(ms: number, { over }: Standing): Promise<void> {
    await this.#clock.sleep(ms, over.signal).catch(() => undefined); // it is over: go on
  }

  #isAlive({ untilMs, over }: Standing): boolean {
    return !over.signal.aborted && untilMs > this.#clock.now();
  }

  #alive(): ReadonlyMap<string, Standing> {
    for (const [name, standing] of this.#standing) if (!this.#isAlive(standing)) this.#standing.delete(name);
    return this.#standing;
  }
}

const isAbout = ({ volumes, methods }: Disturbance, request: VolumeRequest): boolean => {
  const method = methodOf(request.op);
  if (method === undefined || !methods.includes(method)) return false;
  if (volumes.length === 0) return true;
  return 'volume' in request && volumes.some((beginning) => request.volume.startsWith(beginning));
};

/** What is being written may not fit any more; a file that is only made takes none. */
const takeSpace = (standing: Standing, sizeBytes: number): void => {
  const needed = standing.writtenBytes + Math.max(1, sizeBytes);
  if (needed > standing.what.leaveBytes) {
    standing.acted++;
    throw new IoFailure('ENOSPC');
  }
  standing.writtenBytes = needed;
};
