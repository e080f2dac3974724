// One Toxiproxy process (or our link proxy, which speaks the same API), driven so that its known traps cannot bite: one thing
// at a time, a deadline on each call, what it echoes compared with what was asked, and toxics taken away by declaring their
// proxy anew (docs/decisions/0008). After a call that ran over its deadline the process is suspect and gets no further call,
// unless the answer comes after all: then it was slow, as everything is on a busy machine, and not wedged.
import { type Clock, systemClock } from '../../clock.ts';
import { AckproofError, DeadlineError, EnvironmentError } from '../../errors.ts';
import type { Address } from '../../targets/target.ts';
import { withDeadline } from '../deadline.ts';
import { Turns } from './turns.ts';

/** What to do where it refuses. */
const READ_ITS_LOG = 'Read the log of that Toxiproxy; see that the proxy is still declared there.';

/** What to do where it is not as it was told to be. */
const CHANGED_BY_OTHERS = 'See that nothing else changes this Toxiproxy, and that its version is 2.6 or later.';

export type ToxicType = 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data';

export interface ToxicState {
  readonly name: string;
  readonly type: ToxicType;
  readonly stream: 'upstream' | 'downstream';
  readonly toxicity: number;
  /** In the server's own names and units. */
  readonly attributes: Readonly<Record<string, number>>;
}

/** A toxic to add; it always applies to every connection. */
export type ToxicSpec = Omit<ToxicState, 'toxicity'>;

export interface ProxyState {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly ToxicState[];
}

const CALL_DEADLINE_MS = 5000;
/** How long an overdue answer is listened for. */
const OVERDUE_MS = 15_000;
const NAME = /^[a-z0-9-]+$/;

const checkName = (name: string): string => {
  if (NAME.test(name)) return name;
  throw new EnvironmentError('TOXIPROXY_NAME', `"${name}" cannot name a proxy or a toxic.`, {
    hint: 'Use lower-case letters, digits and hyphens.',
  });
};

const isNotFound = (thrown: unknown): boolean =>
  thrown instanceof EnvironmentError && thrown.code === 'TOXIPROXY_NOT_FOUND';

const nothingThere = (thrown: unknown): undefined => {
  if (!isNotFound(thrown)) throw thrown;
};

/** Whether a proxy is not as it was without the toxics `ours`; toxics of others may have come. */
const differsFrom = (was: ProxyState, ours: readonly string[], now: ProxyState): boolean =>
  now.enabled !== was.enabled ||
  now.toxics.some((toxic) => ours.includes(toxic.name)) ||
  withoutNamed(was.toxics, [...ours, ...now.toxics.map((toxic) => toxic.name)]).length > 0;

/** The toxics that none of `names` names. */
export const withoutNamed = (toxics: readonly ToxicState[], names: readonly string[]): readonly ToxicState[] =>
  toxics.filter((toxic) => !names.includes(toxic.name));

export class ToxiproxyProcess {
  readonly admin: Address;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #url: string;
  readonly #restart: (() => Promise<void>) | undefined;
  /** So that nobody sees a proxy between two calls that belong together. */
  readonly #turns = new Turns();
  #suspect: string | undefined;
  /** Ends when the call that made it suspect has an answer, or after a while. */
  #overdue: Promise<void> | undefined;

  /** `restart`: starts the process again with the proxies it had at first, where it is ours. */
  constructor(
    admin: Address,
    options: {
      readonly clock?: Clock;
      readonly deadlineMs?: number;
      readonly restart?: (() => Promise<void>) | undefined;
    } = {},
  ) {
    this.admin = admin;
    this.#clock = options.clock ?? systemClock;
    this.#deadlineMs = options.deadlineMs ?? CALL_DEADLINE_MS;
    this.#restart = options.restart;
    this.#url = `http://${admin.host}:${admin.port}`;
  }

  /** What it hangs on, and why it gets no further call, if so. */
  get suspect(): string | undefined {
    return this.#suspect;
  }

  /** Adds a toxic and compares the answer with the request; a toxic that came out different is taken away again. */
  async addToxic(proxy: string, toxic: ToxicSpec): Promise<void> {
    checkName(toxic.name);
    await this.#turns.change(async () => {
      const difference = await this.#add(proxy, { ...toxic, toxicity: 1 });
      if (difference === undefined) return;
      await this.#withoutToxics(await this.#read(proxy), [toxic.name]);
      throw new EnvironmentError(
        'TOXIPROXY_ECHO',
        `Toxiproxy made another toxic on ${proxy} than asked: ${difference}.`,
        { hint: 'Check that this is a Toxiproxy of version 2.2 or newer.' },
      );
    });
  }

  /** The proxy as the server has it now. */
  async readBack(proxy: string): Promise<ProxyState> {
    return await this.#turns.look(`state of ${proxy}`, async () => await this.#read(proxy));
  }

  /** The proxy as the server has it now; undefined where it has none of that name. */
  async find(proxy: string): Promise<ProxyState | undefined> {
    return await this.readBack(proxy).catch(nothingThere);
  }

  /** Opens or closes the proxy; closing also ends its connections. */
  async setEnabled(proxy: string, enabled: boolean): Promise<void> {
    await this.#turns.change(async () => await this.#enable(proxy, enabled));
  }

  /** Closes and opens the proxy once, which ends every connection through it. */
  async bounce(proxy: string): Promise<void> {
    await this.#turns.change(async () => {
      await this.#enable(proxy, false);
      await this.#enable(proxy, true);
    });
  }

  /**
   * Makes a proxy what it was, but for the toxics `ours`: one that has any of them, or is not there, is declared anew, which cuts the
   * connections through it. Toxics of others stay, also those that somebody who was killed in here had not put back yet. A process
   * that hangs is started again, where it is ours, which takes all of its toxics away.
   */
  async restore(was: ProxyState, ours: readonly string[]): Promise<void> {
    await this.#turns.change(async () => {
      try {
        await this.#restore(was, ours);
      } catch (thrown) {
        if (await this.#startedAgain()) {
          await this.#restore(was, ours);
          return;
        }
        // Another process may have put it back meanwhile: the watchdog, or whoever is healed away by it.
        const now = await this.#read(was.name).catch(() => undefined);
        if (now === undefined || differsFrom(was, ours, now)) throw thrown;
      }
    });
  }

  /** Whether the process hung, was ended, and is there again: nothing else helps one that is wedged. */
  async #startedAgain(): Promise<boolean> {
    await this.#overdue;
    if (this.#suspect === undefined || this.#restart === undefined) return false;
    await this.#restart();
    this.#suspect = undefined;
    this.#overdue = undefined;
    return true;
  }

  async #restore(was: ProxyState, ours: readonly string[]): Promise<void> {
    const now = await this.#read(was.name).catch(nothingThere);
    const before = withoutNamed(was.toxics, ours);
    if (now === undefined) {
      await this.#declare({ ...was, toxics: before });
      return;
    }
    const names = now.toxics.map((toxic) => toxic.name);
    const lacking = now.enabled ? [] : withoutNamed(before, names);
    for (const toxic of lacking) await this.#addBack(was.name, toxic);
    await this.#withoutToxics({ ...now, toxics: [...now.toxics, ...lacking] }, ours, was.enabled);
  }

  async #read(proxy: string): Promise<ProxyState> {
    const state = await this.#request<ProxyState>('GET', `/proxies/${checkName(proxy)}`);
    const { name, listen, upstream, enabled, toxics } = state;
    return { name, listen, upstream, enabled, toxics };
  }

  async #create({ name, listen, upstream }: Pick<ProxyState, 'name' | 'listen' | 'upstream'>): Promise<void> {
    checkName(name);
    await this.#call(`create proxy ${name}`, async () => {
      const client = await this.#client();
      await client.createProxy({ name, listen, upstream, enabled: false });
    });
  }

  /** How the toxic that was made differs from the one asked for. */
  async #add(proxy: string, wanted: ToxicState): Promise<string | undefined> {
    const echo = await this.#call(`add toxic ${wanted.name} to ${proxy}`, async () => {
      const { Proxy } = await import('toxiproxy-node-client');
      // Only its name is used.
      const named = { name: checkName(proxy), listen: '', upstream: '', enabled: true, toxics: [] };
      const there = new Proxy(await this.#client(), named);
      const made = await there.addToxic({ ...wanted, attributes: wanted.attributes });
      return made.toJson() as ToxicState;
    });
    return toxicDifference(echo, wanted);
  }

  /** A toxic that was there before; not by the wrapper's own rule for names, since it may be somebody else's. */
  async #addBack(proxy: string, toxic: ToxicState): Promise<void> {
    const difference = await this.#add(proxy, toxic);
    if (difference === undefined) return;
    throw new EnvironmentError('TOXIPROXY_ECHO', `Toxiproxy gave ${proxy} another toxic back: ${difference}.`, {
      hint: CHANGED_BY_OTHERS,
    });
  }

  async #enable(proxy: string, enabled: boolean): Promise<void> {
    const after = await this.#request<ProxyState>('PATCH', `/proxies/${checkName(proxy)}`, { enabled });
    if (after.enabled === enabled) return;
    throw new EnvironmentError('TOXIPROXY_ECHO', `Toxiproxy did not ${enabled ? 'enable' : 'disable'} ${proxy}.`, {
      hint: CHANGED_BY_OTHERS,
    });
  }

  /** Declares the proxy anew without the toxics `names`; one that has none of them is at most opened or closed. */
  async #withoutToxics(now: ProxyState, names: readonly string[], enabled = now.enabled): Promise<void> {
    const { name } = now;
    const toxics = withoutNamed(now.toxics, names);
    if (toxics.length === now.toxics.length) {
      if (now.enabled !== enabled) await this.#enable(name, enabled);
      return;
    }
    // Closed by a call of its own, whatever it says of itself: a server that deletes a proxy which is not quite closed yet
    // answers nobody until it is.
    await this.#enable(name, false);
    await this.#request('DELETE', `/proxies/${checkName(name)}`);
    await this.#declare({ ...now, enabled, toxics });
  }

  /** A proxy that is not there, with its toxics before its first connection. */
  async #declare(proxy: ProxyState): Promise<void> {
    await this.#create(proxy);
    for (const toxic of proxy.toxics) await this.#addBack(proxy.name, toxic);
    if (proxy.enabled) await this.#enable(proxy.name, true);
  }

  async #client() {
    const { Toxiproxy } = await import('toxiproxy-node-client');
    return new Toxiproxy(this.#url);
  }

  /** One call of the control API. An overrun makes the process suspect. */
  async #call<T>(what: string, work: () => Promise<T>): Promise<T> {
    await this.#overdue;
    if (this.#suspect !== undefined) throw this.#suspectError(what);
    const working = work();
    const deadline = { clock: this.#clock, ms: this.#deadlineMs, what: `Toxiproxy to ${what}` };
    try {
      return await withDeadline(deadline, async () => await working);
    } catch (thrown) {
      if (thrown instanceof DeadlineError) this.#doubt(what, working);
      if (thrown instanceof AckproofError) throw thrown;
      throw new EnvironmentError('TOXIPROXY_REFUSED', `Toxiproxy at ${this.#url} did not ${what}.`, {
        cause: thrown,
        hint: READ_ITS_LOG,
      });
    }
  }

  /** Suspects the process until it answers: one that is wedged never does, or says after long that it gave up. */
  #doubt(what: string, working: Promise<unknown>): void {
    this.#suspect = what;
    const cleared = (): void => {
      this.#suspect = undefined;
    };
    const answer = working.then(cleared, (thrown: unknown) => {
      if (isNotFound(thrown)) cleared();
    });
    const answered = new AbortController();
    const patience = this.#clock.sleep(this.#deadlineMs, answered.signal).catch(() => undefined);
    this.#overdue = Promise.race([answer, patience]).finally(() => answered.abort());
  }

  #suspectError(what: string): EnvironmentError {
    return new EnvironmentError(
      'TOXIPROXY_SUSPECT',
      `Toxiproxy at ${this.#url} hung on "${this.#suspect ?? ''}", so it was not asked to ${what}.`,
      { hint: 'Restart that Toxiproxy process; it forgets its proxies, so they must be declared again.' },
    );
  }

  async #request<T>(method: string, path: string, body?: unknown): Promise<T> {
    return await this.#call(`${method} ${path}`, async () => {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        signal: AbortSignal.timeout(OVERDUE_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }).catch((cause: unknown) => {
        throw new EnvironmentError('TOXIPROXY_UNREACHABLE', `Toxiproxy at ${this.#url} does not answer.`, {
          cause,
          hint: 'Start that Toxiproxy, or correct its address in the target file.',
        });
      });
      const text = await response.text();
      if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
      const code = response.status === 404 ? 'TOXIPROXY_NOT_FOUND' : 'TOXIPROXY_REFUSED';
      throw new EnvironmentError(code, `Toxiproxy answered ${method} ${path} with ${response.status}: ${text.trim()}`, {
        hint: READ_ITS_LOG,
      });
    });
  }
}

const toxicDifference = (is: ToxicState, was: ToxicState): string | undefined => {
  for (const field of ['name', 'type', 'stream', 'toxicity'] as const) {
    if (is[field] !== was[field]) return `${field} is ${is[field]}, not ${was[field]}`;
  }
  const names = new Set([...Object.keys(is.attributes), ...Object.keys(was.attributes)]);
  for (const name of names) {
    const [found, wanted] = [is.attributes[name] ?? 0, was.attributes[name] ?? 0];
    if (found !== wanted) return `${name} is ${found}, not ${wanted}`;
  }
  return undefined;
};

/** How a proxy differs from what it was, field by field; undefined when it does not. */
export const equalsSnapshot = (now: ProxyState, was: ProxyState): string | undefined => {
  for (const field of ['listen', 'upstream', 'enabled'] as const) {
    if (now[field] !== was[field]) return `${now.name}: ${field} is ${now[field]}, was ${was[field]}`;
  }
  const before = new Map(was.toxics.map((toxic) => [toxic.name, toxic]));
  for (const toxic of now.toxics) {
    const earlier = before.get(toxic.name);
    const difference = earlier === undefined ? 'was not there' : toxicDifference(toxic, earlier);
    if (difference !== undefined) return `${now.name}: toxic ${toxic.name} ${difference}`;
    before.delete(toxic.name);
  }
  const [missing] = before.keys();
  return missing === undefined ? undefined : `${now.name}: toxic ${missing} is missing`;
};

/** A toxic of a proxy as asked for, or how it differs. */
export const toxicReadsBack = (state: ProxyState, wanted: ToxicSpec): string | undefined => {
  const found = state.toxics.find((toxic) => toxic.name === wanted.name);
  if (found === undefined) return `${state.name}: toxic ${wanted.name} is not there`;
  return toxicDifference(found, { ...wanted, toxicity: 1 });
};
