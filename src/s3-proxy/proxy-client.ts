// A running S3 proxy, asked from outside: the admin API as a caller sees it, with a deadline for each call, and what it echoes held
// against what was asked.
import { isDeepStrictEqual } from 'node:util';
import { deadlineSignal, systemClock } from '../clock.ts';
import { AckproofError, DeadlineError, EnvironmentError, InputError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import { DRAIN_WITHIN_MS, type S3ProxyControl } from './control.ts';
import type { ProxyCounters } from './counters.ts';
import type { DrainReport } from './rule-book.ts';
import type { RuleSpec } from './rule-schema.ts';

export interface ClientOptions {
  /** Of each call; 5 s where it is left out. */
  readonly deadlineMs?: number;
}

interface Said {
  readonly status: number;
  readonly json: unknown;
}

/** A drain answers when it is over, and that takes longer than it was given. */
const DRAIN_OVERHEAD_MS = 5000;

const ADVICE = 'See that the S3 proxy runs, and that this is the address of its admin API.';

/** The error in an answer as it was thrown there. */
const errorIn = ({ status, json }: Said, call: string): AckproofError => {
  const { error } = (json ?? {}) as { readonly error?: Readonly<Record<'code' | 'message' | 'hint', string>> };
  if (error?.code === undefined) {
    return new EnvironmentError('S3_PROXY_ANSWER', `${call} was answered ${status}, and not by an S3 proxy.`, {
      hint: ADVICE,
    });
  }
  const { code, message, hint } = error;
  return status < 500 ? new InputError(code, message, { hint }) : new EnvironmentError(code, message, { hint });
};

const callerOf = (admin: Address, deadlineMs: number) => {
  const base = `http://${admin.host.includes(':') ? `[${admin.host}]` : admin.host}:${admin.port}`;
  return async (method: string, path: string, body?: unknown, within = deadlineMs): Promise<Said> => {
    const call = `${method} ${base}${path}`;
    const signal = deadlineSignal(within);
    const from = systemClock.now();
    try {
      const sent =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${base}${path}`, { method, signal, ...sent });
      const text = await response.text();
      const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
      const said = { status: response.status, json };
      if (!response.ok) throw errorIn(said, call);
      return said;
    } catch (cause) {
      if (cause instanceof AckproofError) throw cause;
      if (signal.aborted) throw new DeadlineError(call, systemClock.now() - from, 'no answer', { cause });
      throw new EnvironmentError('S3_PROXY_SILENT', `${call} was not answered.`, { hint: ADVICE, cause });
    }
  };
};

/** Nothing is connected before the first call. Calls throw InputError, EnvironmentError or DeadlineError. */
export const connectS3Proxy = (admin: Address, { deadlineMs = 5000 }: ClientOptions = {}): S3ProxyControl => {
  const call = callerOf(admin, deadlineMs);
  const removeRule = async (id: string): Promise<boolean> => {
    try {
      await call('DELETE', `/rules/${encodeURIComponent(id)}`);
      return true;
    } catch (thrown) {
      if (thrown instanceof InputError && thrown.code === 'S3_PROXY_RULE_UNKNOWN') return false;
      throw thrown;
    }
  };
  return {
    removeRule,
    addRule: async (rule) => {
      const { json } = await call('POST', '/rules', rule);
      if (isDeepStrictEqual(json, rule)) return;
      await removeRule(rule.id);
      throw new EnvironmentError('S3_PROXY_ECHO', `The S3 proxy made another rule than "${rule.id}" was to be.`, {
        hint: 'See that the S3 proxy is of the same version as this ackproof.',
      });
    },
    removeRules: async () => ((await call('DELETE', '/rules')).json as { readonly removed: number }).removed,
    rules: async () => ((await call('GET', '/rules')).json as { readonly rules: readonly RuleSpec[] }).rules,
    counters: async () => (await call('GET', '/counters')).json as ProxyCounters,
    drain: async (withinMs = DRAIN_WITHIN_MS) =>
      (await call('POST', '/drain', { withinMs }, withinMs + DRAIN_OVERHEAD_MS)).json as DrainReport,
  };
};
