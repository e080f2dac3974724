// The request log of the embedded object store, read through its admin listener; what the store no longer has in memory (it was
// restarted, or the run is long) comes from the log's file. Reading goes on where the last reading ended.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { Address, StoreRequest } from './target.ts';

/** One line of the log, as far as it is used here. */
interface LoggedRequest {
  readonly seq: number;
  readonly at: number;
  readonly durationMs: number;
  readonly listener: StoreRequest['listener'];
  readonly method: string;
  readonly op: string;
  readonly key: string;
  readonly range: readonly [number, number] | null;
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly client: string | null;
  readonly aborted: boolean;
}

interface Page {
  readonly requests: readonly LoggedRequest[];
  readonly next: number;
  readonly oldest: number;
}

const DEADLINE_MS = 3_000;

const asPage = (answer: unknown): Page => {
  const page = answer as Partial<Page> | undefined;
  if (page?.requests !== undefined && page.next !== undefined && page.oldest !== undefined) return page as Page;
  throw new InternalError('TARGET_BAD_REQUEST_LOG', 'The object store answered with something that is no request log.');
};

const asStoreRequest = (logged: LoggedRequest): StoreRequest => ({
  at: logged.at,
  durationMs: logged.durationMs,
  listener: logged.listener,
  method: logged.method,
  operation: logged.op,
  key: logged.key,
  ...(logged.range === null ? {} : { range: { first: logged.range[0], last: logged.range[1] } }),
  status: logged.status,
  requestBytes: logged.requestBytes,
  responseBytes: logged.responseBytes,
  ...(logged.client === null ? {} : { client: logged.client }),
  complete: !logged.aborted,
});

/** Lines of the file with sequence numbers from `from` up to and without `to`; a torn line is passed over. */
const readFile = async (file: string, from: number, to: number): Promise<readonly LoggedRequest[]> => {
  const found: LoggedRequest[] = [];
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    const seq = Number(/^\{"seq":(\d+),/.exec(line)?.[1] ?? Number.NaN);
    if (seq >= from && seq < to && line.endsWith('}')) found.push(JSON.parse(line) as LoggedRequest);
  }
  return found;
};

/** What every request before `seq` has in common: it had finished by `finishedBy` (wall clock). */
interface Mark {
  readonly seq: number;
  readonly finishedBy: number;
}

export class StoreRequestLog {
  readonly #admin: Address;
  readonly #file: string;
  readonly #marks: Mark[] = [{ seq: 0, finishedBy: Number.NEGATIVE_INFINITY }];

  constructor(admin: Address, file: string) {
    this.#admin = admin;
    this.#file = file;
  }

  /** Requests that finished at or after `sinceWallMs`, in the order in which they finished. */
  async since(sinceWallMs: number, signal: AbortSignal): Promise<readonly StoreRequest[]> {
    const askedAt = systemClock.wall();
    const found: StoreRequest[] = [];
    let { seq, finishedBy } = this.#marks.findLast((mark) => mark.finishedBy < sinceWallMs) ?? {
      seq: 0,
      finishedBy: 0,
    };
    for (;;) {
      const page = await this.#page(seq, signal);
      const older = page.oldest > seq ? await readFile(this.#file, seq, page.oldest) : [];
      const requests = [...older, ...page.requests];
      for (const request of requests) {
        const finishedAt = request.at + request.durationMs;
        finishedBy = Math.max(finishedBy, finishedAt);
        if (finishedAt >= sinceWallMs) found.push(asStoreRequest(request));
      }
      if (page.requests.length > 0) this.#remember({ seq: page.next, finishedBy });
      if (page.requests.length === 0 || finishedBy >= askedAt) return found;
      seq = page.next;
    }
  }

  async #page(since: number, signal: AbortSignal): Promise<Page> {
    const path = `/_ackproof/requests?since=${since}`;
    return asPage(await httpJson({ method: 'GET', address: this.#admin, path, deadlineMs: DEADLINE_MS, signal }));
  }

  #remember(mark: Mark): void {
    if (mark.seq > (this.#marks.at(-1)?.seq ?? 0)) this.#marks.push(mark);
  }
}
