// The controller's state as one object in the meta store, changed only by compare-and-set. The one thing to know: a state is
// handed out only after the store confirmed it, so a controller killed at any moment forgets nothing that anybody was told.
import type { Clock } from '../../clock.ts';
import { describeError, EnvironmentError, InternalError } from '../../errors.ts';
import type { ConditionalStore } from '../log/interfaces.ts';
import { isStoreUnavailable } from '../log/store-unavailable.ts';
import type { ProgramLog } from '../program-log.ts';
import type { ControllerState } from './controller-state.ts';

const RETRY_PAUSE_MS = 40;

interface Held {
  readonly state: ControllerState;
  /** Undefined while the object does not exist yet. */
  readonly etag: string | undefined;
}

export interface StateStoreOptions {
  readonly store: ConditionalStore;
  readonly key: string;
  readonly clock: Clock;
  readonly log: ProgramLog;
  /** The state of a cluster that was never started before. */
  readonly empty: ControllerState;
}

export interface Change {
  readonly before: ControllerState;
  readonly after: ControllerState;
}

const decode = (bytes: Uint8Array): ControllerState => {
  const state = JSON.parse(Buffer.from(bytes).toString('utf8')) as ControllerState;
  if (typeof state.version !== 'number' || !Array.isArray(state.topics)) {
    throw new InternalError('CONTROLLER_STATE_UNREADABLE', 'The stored controller state is not one.');
  }
  return state;
};

export class StateStore {
  private readonly options: StateStoreOptions;
  private held: Held | undefined;
  private seenVersion = 0;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: StateStoreOptions) {
    this.options = options;
  }

  /**
   * Applies `mutate` to the newest state and stores the outcome; changes are made one after another. `mutate` may be called
   * several times and must give the same result when its own change is already in. What it throws is thrown here. Throws an
   * EnvironmentError when the store could not be reached within `deadlineMs`; the change may then still be made.
   */
  async change(mutate: (state: ControllerState) => ControllerState, deadlineMs: number): Promise<Change> {
    const attempt = this.queue.then(async () => await this.retry(mutate, deadlineMs));
    this.queue = attempt.catch(() => undefined);
    return await attempt;
  }

  private async retry(mutate: (state: ControllerState) => ControllerState, deadlineMs: number): Promise<Change> {
    const { clock, log } = this.options;
    const deadline = clock.now() + deadlineMs;
    for (;;) {
      try {
        const change = await this.attempt(mutate);
        if (change !== undefined) return change;
      } catch (thrown) {
        if (!isStoreUnavailable(thrown)) throw thrown;
        this.held = undefined;
        log.warn(`meta store away: ${describeError(thrown)}`);
        if (clock.now() >= deadline) {
          const hint = 'Nothing is reassigned until it is back.';
          throw new EnvironmentError('CONTROLLER_STORE_AWAY', 'The meta store does not answer.', {
            hint,
            cause: thrown,
          });
        }
        await clock.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  /** One compare-and-set; undefined when somebody else's write came first and the state has to be read again. */
  private async attempt(mutate: (state: ControllerState) => ControllerState): Promise<Change | undefined> {
    const { store, key } = this.options;
    const held = (this.held ??= await this.read());
    const after = mutate(held.state);
    if (after === held.state && held.etag !== undefined) return { before: held.state, after };
    const conditions = held.etag === undefined ? ({ ifNoneMatch: true } as const) : { ifMatch: held.etag };
    const result = await store.put(key, Buffer.from(JSON.stringify(after)), conditions);
    if (result.status === 'stored') {
      this.held = { state: after, etag: result.etag };
      this.seenVersion = after.version;
      return { before: held.state, after };
    }
    this.held = undefined;
    return undefined;
  }

  private async read(): Promise<Held> {
    const object = await this.options.store.get(this.options.key);
    const held =
      object === undefined
        ? { state: this.options.empty, etag: undefined }
        : { state: decode(object.bytes), etag: object.etag };
    if (held.state.version < this.seenVersion) {
      throw new EnvironmentError(
        'CONTROLLER_STATE_LOST',
        `The store has controller state ${held.state.version}, but ${this.seenVersion} had been stored.`,
        { hint: 'Somebody removed or replaced it; the cluster goes on with its present owners until it is restored.' },
      );
    }
    this.seenVersion = held.state.version;
    return held;
  }
}
