// One rule at work: which of the requests that it is about it acts on, and what it counts. It ends once, by itself or by order, and
// lets go of everything then.
import { setMaxListeners } from 'node:events';
import { type Clock, isoTime } from '../clock.ts';
import { type Random, randomStream } from '../random.ts';
import type { RuleCounters } from './counters.ts';
import { emptyTally, Grant } from './grant.ts';
import { matches } from './rule-match.ts';
import type { RuleSpec } from './rule-schema.ts';
import type { S3Request } from './s3-operation.ts';

/** Keys that `perKey` remembers; whoever needs more has a rule that is too wide. */
const KEYS_LIMIT = 100_000;

/** What a retry of the same thing would name again. */
const keyOf = ({ bucket, key, partNumber }: S3Request): string => `${bucket}/${key}#${partNumber ?? ''}`;

export class Rule {
  readonly spec: RuleSpec;
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #addedAt: number;
  readonly #end = new AbortController();
  readonly #tally = emptyTally();
  readonly #open = new Set<Grant>();
  readonly #grantsOfKey = new Map<string, number>();
  #granted = 0;
  #state: RuleCounters['state'] = 'active';

  /** `seed` is the proxy's, for a rule that has none of its own. */
  constructor(spec: RuleSpec, seed: number, clock: Clock) {
    this.spec = spec;
    this.#seed = spec.seed ?? seed;
    this.#clock = clock;
    this.#addedAt = clock.now();
    setMaxListeners(0, this.#end.signal); // each request that it holds listens, and there may be many
  }

  /** Aborts when the rule has ended. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get held(): number {
    return this.#tally.held;
  }

  /** Requests that it has in its hands now. */
  get open(): ReadonlySet<Grant> {
    return this.#open;
  }

  end(state: 'expired' | 'removed'): void {
    if (this.#end.signal.aborted) return;
    this.#state = state;
    this.#end.abort();
  }

  /** Counts the request if the rule is about it; a grant if it is to act on it. */
  decide(request: S3Request, listener: string): Grant | undefined {
    if (this.ended.aborted || !matches(this.spec.match ?? {}, request, listener)) return undefined;
    const number = ++this.#tally.matched;
    if (number <= (this.spec.afterMatches ?? 0) || !this.#isDrawn(number)) return undefined;
    if (this.#granted >= (this.spec.count ?? Infinity) || !this.#hasRoomFor(keyOf(request))) return undefined;
    return this.#grant(request, number);
  }

  /** By seed, rule and match number alone: a second run with the same seed decides the same. */
  #isDrawn(number: number): boolean {
    const { percent } = this.spec;
    return percent === undefined || this.#choice(number, 'percent').next() * 100 < percent;
  }

  /** What a rule with a seed of its own leaves to chance does not hang on its name, which may be another one in each run. */
  #choice(number: number, what: string): Random {
    const { id, seed } = this.spec;
    return randomStream(this.#seed, `${seed === undefined ? `${id}/` : ''}${number}/${what}`);
  }

  #hasRoomFor(key: string): boolean {
    if (this.spec.perKey === undefined) return true;
    const known = this.#grantsOfKey.get(key);
    if (known === undefined && this.#grantsOfKey.size >= KEYS_LIMIT) {
      this.#tally.keysBeyondLimit++;
      return false;
    }
    return (known ?? 0) < this.spec.perKey;
  }

  #grant(request: S3Request, number: number): Grant {
    const key = keyOf(request);
    this.#count(key, 1);
    const grant = new Grant({
      ruleId: this.spec.id,
      number,
      choice: (what) => this.#choice(number, what),
      ended: this.ended,
      tally: this.#tally,
      wall: () => this.#clock.wall(),
      onClose: (hasActed) => {
        this.#open.delete(grant);
        if (!hasActed) this.#count(key, -1);
      },
    });
    this.#open.add(grant);
    return grant;
  }

  #count(key: string, more: 1 | -1): void {
    this.#granted += more;
    if (this.spec.perKey === undefined) return;
    const count = (this.#grantsOfKey.get(key) ?? 0) + more;
    if (count > 0) this.#grantsOfKey.set(key, count);
    else this.#grantsOfKey.delete(key);
  }

  counters(): RuleCounters {
    const { firstAtMs, lastAtMs, lateForwards, ...counts } = this.#tally;
    const left = this.#addedAt + this.spec.ttlMs - this.#clock.now();
    return {
      state: this.#state,
      expiresInMs: this.#state === 'active' ? Math.max(0, Math.round(left)) : 0,
      ...counts,
      firstAt: firstAtMs === undefined ? null : isoTime(firstAtMs),
      lastAt: lastAtMs === undefined ? null : isoTime(lastAtMs),
      lateForwards: [...lateForwards],
    };
  }
}
