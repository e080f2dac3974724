// The rules of one proxy, in the order in which they were added: the first that acts on a request decides, and later ones do not see
// it. Ended rules are remembered for a while, because their counters are evidence.
import type { Clock } from '../clock.ts';
import { EnvironmentError, InputError } from '../errors.ts';
import type { ActionSpec } from './actions/registry.ts';
import type { RuleCounters } from './counters.ts';
import type { Grant } from './grant.ts';
import { Rule } from './rule.ts';
import { parseRule, type RuleSpec } from './rule-schema.ts';
import type { S3Request } from './s3-operation.ts';

/** A rule has a request. */
export interface Decision {
  readonly grant: Grant;
  readonly action: ActionSpec;
}

/** What a drain came to. */
export interface DrainReport {
  /** Rules that it ended. */
  readonly endedRules: number;
  /** Requests that were held and came to their end in time. */
  readonly letGo: number;
  /** Requests that did not, and were broken off. */
  readonly cut: number;
}

const ACTIVE_LIMIT = 1000;
const ENDED_KEPT = 1000;
const LOOK_EVERY_MS = 10;
/** What was broken off needs no longer than this to be over. */
const CUT_WITHIN_MS = 2000;

export interface RuleBookOptions {
  readonly listeners: readonly string[];
  readonly seed: number;
  readonly clock: Clock;
}

export class RuleBook {
  readonly #options: RuleBookOptions;
  readonly #active = new Map<string, Rule>();
  readonly #ended = new Map<string, Rule>();

  constructor(options: RuleBookOptions) {
    this.#options = options;
  }

  /** The rule, in force. Throws InputError: S3_PROXY_RULE, S3_PROXY_LISTENER_UNKNOWN, S3_PROXY_RULE_EXISTS, S3_PROXY_RULES_FULL. */
  add(document: unknown): RuleSpec {
    const spec = parseRule(document);
    this.#assertAddable(spec);
    const { seed, clock } = this.#options;
    const rule = new Rule(spec, seed, clock);
    this.#ended.delete(spec.id);
    this.#active.set(spec.id, rule);
    const expire = (): void => this.#end(rule, 'expired');
    clock.sleep(spec.ttlMs, rule.ended).then(expire, () => undefined);
    return spec;
  }

  #assertAddable({ id, match }: RuleSpec): void {
    const { listeners } = this.#options;
    if (match?.listener !== undefined && !listeners.includes(match.listener)) {
      throw new InputError('S3_PROXY_LISTENER_UNKNOWN', `No listener is named "${match.listener}".`, {
        hint: `Known: ${listeners.join(', ')}.`,
      });
    }
    if (this.#active.has(id)) {
      throw new InputError('S3_PROXY_RULE_EXISTS', `A rule "${id}" is in force already.`, {
        hint: 'Choose another id, or delete that rule first.',
      });
    }
    if (this.#active.size >= ACTIVE_LIMIT) {
      throw new InputError('S3_PROXY_RULES_FULL', `${ACTIVE_LIMIT} rules are in force already.`, {
        hint: 'Delete those that are no longer needed.',
      });
    }
  }

  /** The rules in force, as they were added. */
  list(): readonly RuleSpec[] {
    return [...this.#active.values()].map(({ spec }) => spec);
  }

  find(id: string): RuleSpec | undefined {
    return this.#active.get(id)?.spec;
  }

  /** Whether there was such a rule. What it held is let go. */
  remove(id: string): boolean {
    const rule = this.#active.get(id);
    if (rule !== undefined) this.#end(rule, 'removed');
    return rule !== undefined;
  }

  /** How many there were. */
  removeAll(): number {
    const rules = [...this.#active.values()];
    for (const rule of rules) this.#end(rule, 'removed');
    return rules.length;
  }

  #end(rule: Rule, state: 'expired' | 'removed'): void {
    rule.end(state);
    this.#active.delete(rule.spec.id);
    this.#ended.set(rule.spec.id, rule);
    for (const [id, { held }] of this.#ended) {
      if (this.#ended.size <= ENDED_KEPT) break;
      if (held === 0) this.#ended.delete(id);
    }
  }

  /** What is done to a request; undefined for most. */
  decide(request: S3Request, listener: string): Decision | undefined {
    for (const rule of this.#active.values()) {
      const grant = rule.decide(request, listener);
      if (grant !== undefined) return { grant, action: rule.spec.action };
    }
    return undefined;
  }

  #all(): readonly Rule[] {
    return [...this.#active.values(), ...this.#ended.values()];
  }

  /** Requests in the hands of rules. */
  get held(): number {
    return this.#all().reduce((sum, rule) => sum + rule.held, 0);
  }

  counters(): Readonly<Record<string, RuleCounters>> {
    return Object.fromEntries(this.#all().map((rule) => [rule.spec.id, rule.counters()]));
  }

  /** Ends every rule and waits until nothing is held any more; what is not over after `withinMs` is broken off. */
  async drain(withinMs: number): Promise<DrainReport> {
    const before = this.held;
    const endedRules = this.removeAll();
    await this.#untilNoneHeld(withinMs);
    const cut = this.held;
    this.cutAll();
    await this.#untilNoneHeld(CUT_WITHIN_MS);
    if (this.held > 0) {
      throw new EnvironmentError('S3_PROXY_NOT_DRAINED', `${this.held} requests are still held.`, {
        hint: 'Restart the S3 proxy; its connections end with it.',
      });
    }
    return { endedRules, letGo: Math.max(0, before - cut), cut };
  }

  /** Ends every rule and breaks off whatever is held. */
  cutAll(): void {
    this.removeAll();
    for (const rule of this.#all()) for (const grant of rule.open) grant.cut();
  }

  async #untilNoneHeld(withinMs: number): Promise<void> {
    const { clock } = this.#options;
    const until = clock.now() + withinMs;
    while (this.held > 0 && clock.now() < until) await clock.sleep(LOOK_EVERY_MS);
  }
}
