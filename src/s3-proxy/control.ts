// What can be asked of a running S3 proxy: by whoever started it in this process, and from outside through its admin API. Both ways
// are the same to a caller.
import type { ProxyCounters } from './counters.ts';
import type { DrainReport } from './rule-book.ts';
import type { RuleSpec } from './rule-schema.ts';

export interface S3ProxyControl {
  /** Puts a rule in force. Throws InputError for one that cannot be, with every problem. */
  addRule(rule: RuleSpec): Promise<void>;
  /** Whether it was in force; what it held is let go. */
  removeRule(id: string): Promise<boolean>;
  /** How many were in force; what they held is let go. */
  removeRules(): Promise<number>;
  /** Those in force, in the order in which they are asked. */
  rules(): Promise<readonly RuleSpec[]>;
  counters(): Promise<ProxyCounters>;
  /** Ends all rules and waits until none of their requests is held; what still is after `withinMs` is broken off. */
  drain(withinMs?: number): Promise<DrainReport>;
}

export const DRAIN_WITHIN_MS = 5000;
