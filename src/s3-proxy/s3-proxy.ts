// The S3 fault proxy: a reverse proxy between brokers and their object store that passes HTTP on byte for byte, and does to some
// requests what its rules say. Started here in this process; s3-proxy-program.ts is the same as a program of its own.
import { isoTime, systemClock } from '../clock.ts';
import type { Address } from '../vocabulary.ts';
import { type AdminServer, startAdminApi } from './admin-api.ts';
import { DRAIN_WITHIN_MS, type S3ProxyControl } from './control.ts';
import { ListenerTally } from './counters.ts';
import { type RunningListener, startListener } from './listener.ts';
import { Budget } from './proxy-limits.ts';
import { parseOptions, type S3ProxyOptions, type S3ProxySettings } from './proxy-options.ts';
import { RuleBook } from './rule-book.ts';

export interface RunningS3Proxy extends AsyncDisposable {
  /** Listener → where it listens. */
  readonly listeners: Readonly<Record<string, Address>>;
  /** Where the admin API is, if there is one. */
  readonly admin: Address | undefined;
  readonly control: S3ProxyControl;
  /** Ends everything, requests that are held included. */
  stop(): Promise<void>;
}

/** The same sentence about the same trouble is told once in so long. */
const SAME_NOTE_MS = 10_000;

/** Told in one line each of what a person should know: late commits, a store that cannot be reached. */
type Note = (text: string) => void;

const withoutRepeats = (note: Note): Note => {
  const toldAt = new Map<string, number>();
  return (text) => {
    const now = systemClock.now();
    if (now - (toldAt.get(text) ?? -Infinity) < SAME_NOTE_MS) return;
    if (toldAt.size > 1000) toldAt.clear();
    toldAt.set(text, now);
    note(text);
  };
};

interface Book {
  readonly settings: S3ProxySettings;
  readonly rules: RuleBook;
  readonly tallies: ReadonlyMap<string, ListenerTally>;
}

const controlOf = ({ settings, rules, tallies }: Book): S3ProxyControl => {
  const startedAt = isoTime(systemClock.wall());
  const counters = (): Awaited<ReturnType<S3ProxyControl['counters']>> => ({
    startedAt,
    pid: process.pid,
    seed: settings.seed,
    held: rules.held,
    listeners: Object.fromEntries([...tallies].map(([name, tally]) => [name, tally.snapshot()])),
    rules: rules.counters(),
  });
  return {
    addRule: async (rule) => {
      await Promise.resolve(rules.add(rule));
    },
    removeRule: async (id) => await Promise.resolve(rules.remove(id)),
    removeRules: async () => await Promise.resolve(rules.removeAll()),
    rules: async () => await Promise.resolve(rules.list()),
    counters: async () => await Promise.resolve(counters()),
    drain: async (withinMs = DRAIN_WITHIN_MS) => await rules.drain(withinMs),
  };
};

/** Throws InputError for options that are none, and EnvironmentError where a port cannot be had. */
export const startS3Proxy = async (options: S3ProxyOptions, note: Note = () => undefined): Promise<RunningS3Proxy> => {
  const settings = parseOptions(options);
  const { seed, limits } = settings;
  const names = settings.listeners.map(({ name }) => name);
  const rules = new RuleBook({ listeners: names, seed, clock: systemClock });
  const tallies = new Map(names.map((name) => [name, new ListenerTally()]));
  const control = controlOf({ settings, rules, tallies });
  const late = new Set<Promise<void>>();
  const shared = {
    clock: systemClock,
    limits,
    kept: new Budget(limits.keptBytes),
    note: withoutRepeats(note),
    later: (work: Promise<void>) => {
      late.add(work);
      void work.then(() => late.delete(work));
    },
    rules,
  };
  const running = new Map<string, RunningListener>();
  let admin: AdminServer | undefined;
  const stop = async (): Promise<void> => {
    rules.cutAll();
    await Promise.all(
      [...running.values(), ...(admin === undefined ? [] : [admin])].map(async (each) => await each.stop()),
    );
    await Promise.all(late);
  };
  try {
    for (const { name, upstream, ...address } of settings.listeners) {
      const tally = tallies.get(name) ?? new ListenerTally();
      running.set(name, await startListener({ ...shared, name, upstream, tally }, address));
    }
    if (settings.admin !== undefined) admin = await startAdminApi(settings.admin, { control, rules });
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  const listeners = Object.fromEntries([...running].map(([name, { address }]) => [name, address]));
  return { listeners, admin: admin?.address, control, stop, [Symbol.asyncDispose]: stop };
};
