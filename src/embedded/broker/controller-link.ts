// A broker's link to the controller: it registers, says every moment that it is alive, and receives the newest view of the
// cluster. The one thing to know: when the controller is away the last view stays in force; ownership is the fence's affair.
import type { Clock } from '../../clock.ts';
import { DeadlineError, describeError, InternalError } from '../../errors.ts';
import { asClusterView, type ClusterView, type Endpoint } from '../cluster-view.ts';
import { KAFKA, KafkaRefusal } from '../error-codes.ts';
import { createJsonCaller, type JsonCaller } from '../json-over-http.ts';
import type { ProgramLog } from '../program-log.ts';
import { integerIn, objectOf } from '../read-json.ts';

export interface ControllerLinkOptions {
  readonly brokerId: number;
  /** New with every start of the process. */
  readonly incarnation: string;
  readonly controller: Endpoint;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
  readonly log: ProgramLog;
  /** Called with every newer view, in order. */
  readonly onView: (view: ClusterView) => void;
}

export interface TopicWish {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

const CALL_MS = 5000;
const RETRY_MS = 50;

export class ControllerLink {
  private readonly options: ControllerLinkOptions;
  private readonly caller: JsonCaller;
  private newest: ClusterView | undefined;
  private addresses: { readonly advertised: Endpoint; readonly direct: Endpoint } | undefined;
  private stopped = false;
  private away = false;
  private heardAt: number;

  constructor(options: ControllerLinkOptions) {
    this.options = options;
    this.heardAt = options.clock.now();
    this.caller = createJsonCaller(options.controller);
  }

  /** The newest view. Throws before the first one. */
  get view(): ClusterView {
    if (this.newest === undefined) throw new InternalError('BROKER_NO_VIEW', 'The broker has not registered yet.');
    return this.newest;
  }

  /** Milliseconds since the controller last answered. */
  get silentMs(): number {
    return this.options.clock.now() - this.heardAt;
  }

  /** Registers, trying until `deadlineMs` have passed, and then keeps the session alive. Throws a DeadlineError. */
  async start(advertised: Endpoint, direct: Endpoint, deadlineMs: number): Promise<void> {
    const { clock } = this.options;
    this.addresses = { advertised, direct };
    const startedAt = clock.now();
    while (!(await this.tried(async () => await this.register()))) {
      if (clock.now() - startedAt > deadlineMs) {
        throw new DeadlineError('the controller to register this broker', deadlineMs, 'no registration');
      }
      await clock.sleep(RETRY_MS);
    }
    void this.keepAlive();
  }

  /** Tells the controller that this broker leaves; its partitions have other owners when this resolves. */
  async resign(deadlineMs: number): Promise<void> {
    this.stopped = true;
    this.take(asClusterView(await this.caller.call('/resign', this.identity, deadlineMs)));
  }

  close(): void {
    this.stopped = true;
    this.caller.close();
  }

  /** Throws a KafkaRefusal; REQUEST_TIMED_OUT when the controller did not answer, and the topic may then exist. */
  async createTopic(wish: TopicWish, validateOnly: boolean): Promise<void> {
    await this.asked('/create-topic', { ...wish, validateOnly });
  }

  /** Throws a KafkaRefusal like `createTopic`. */
  async deleteTopic(name: string): Promise<void> {
    await this.asked('/delete-topic', { name });
  }

  /** A block of producer ids that nobody else has. */
  async producerIds(): Promise<{ readonly first: number; readonly count: number }> {
    const answer = await this.caller.call('/producer-ids', {}, CALL_MS);
    return { first: integerIn(answer, 'first'), count: integerIn(answer, 'count') };
  }

  /** Asks for an epoch above one that was found in the store; the new view follows. */
  async raiseEpoch(topicId: string, partition: number, above: number): Promise<void> {
    this.take(asClusterView(await this.caller.call('/raise-epoch', { topicId, partition, above }, CALL_MS)));
  }

  private get identity(): { readonly brokerId: number; readonly incarnation: string } {
    return { brokerId: this.options.brokerId, incarnation: this.options.incarnation };
  }

  private take(view: ClusterView): void {
    if (this.newest !== undefined && view.version <= this.newest.version) return;
    this.newest = view;
    this.options.onView(view);
  }

  private async asked(path: string, body: unknown): Promise<void> {
    const answer = objectOf(
      await this.caller.call(path, body, CALL_MS).catch((cause: unknown) => {
        throw new KafkaRefusal(KAFKA.REQUEST_TIMED_OUT, `The controller did not answer: ${describeError(cause)}`);
      }),
    );
    const code = integerIn(answer, 'code');
    if (code !== KAFKA.NONE) throw new KafkaRefusal(code, String(answer['message']));
    this.take(asClusterView(objectOf(answer['result'])['view']));
  }

  private async register(): Promise<void> {
    const view = await this.caller.call('/register', { ...this.identity, ...this.addresses }, CALL_MS);
    this.take(asClusterView(view));
    this.options.log.info(`registered as ${this.options.incarnation}, view ${this.view.version}`);
  }

  private async heartbeat(): Promise<void> {
    const { heartbeatMs, sessionTimeoutMs } = this.options;
    const body = { ...this.identity, knownVersion: this.view.version };
    const deadlineMs = heartbeatMs + Math.max(100, sessionTimeoutMs / 2);
    const answer = objectOf(await this.caller.call('/heartbeat', body, deadlineMs));
    if (answer['view'] !== undefined) this.take(asClusterView(answer['view']));
    if (answer['known'] !== true && !this.stopped) await this.register();
  }

  private async keepAlive(): Promise<void> {
    while (!this.stopped) {
      if (!(await this.tried(async () => await this.heartbeat()))) await this.options.clock.sleep(RETRY_MS);
    }
  }

  /** Whether `call` succeeded; the first failure and the first success after it are logged. */
  private async tried(call: () => Promise<void>): Promise<boolean> {
    try {
      await call();
      this.heardAt = this.options.clock.now();
      if (this.away) this.options.log.info('controller is back');
      this.away = false;
      return true;
    } catch (thrown) {
      if (!this.away && !this.stopped) this.options.log.warn(`controller away: ${describeError(thrown)}`);
      this.away = true;
      return false;
    }
  }
}
