// Rules of S3 fault proxies taken away, from data alone: by their ids, which carry the run, and no others. What a rule held is let go
// with it, and is waited for: after a heal nothing comes late any more.
import { systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { ProxyCounters } from '../s3-proxy/counters.ts';
import { connectS3Proxy } from '../s3-proxy/proxy-client.ts';
import { shellQuoted } from '../shell.ts';
import type { Address } from '../targets/target.ts';
import type { UndoStep } from './fault.ts';
import type { StillThere } from './proxy-left.ts';

type RulesStep = UndoStep & { readonly do: 'remove-rules' };

/** Each question of a heal, which has seconds and not minutes. */
const CALL_DEADLINE_MS = 3000;
const LET_GO_WITHIN_MS = 3000;
const POLL_MS = 50;

const heldBy = ({ rules }: ProxyCounters, ids: readonly string[]): number =>
  ids.reduce((sum, id) => sum + (rules[id]?.held ?? 0), 0);

/** Idempotent; whoever is not there any more has been taken away. Ends with `signal` at the latest. */
export const removeRules = async ({ admin, rules }: RulesStep, signal: AbortSignal): Promise<void> => {
  const proxy = connectS3Proxy(admin, { deadlineMs: CALL_DEADLINE_MS });
  for (const id of rules) {
    signal.throwIfAborted();
    await proxy.removeRule(id);
  }
  const until = systemClock.now() + LET_GO_WITHIN_MS;
  while (heldBy(await proxy.counters(), rules) > 0 && systemClock.now() < until) {
    await systemClock.sleep(POLL_MS, signal);
  }
};

const curlDelete = ({ host, port }: Address, id: string): string =>
  `curl -fsS -m 10 -X DELETE ${shellQuoted(`http://${host}:${port}/rules/${id}`)}`;

/** What of the rules is still in force, or still holds requests; nothing once all is as before. Never rejects. */
export const rulesLeft = async ({ admin, rules }: RulesStep): Promise<StillThere[]> => {
  const proxy = connectS3Proxy(admin, { deadlineMs: CALL_DEADLINE_MS });
  try {
    const [inForce, counters] = await Promise.all([proxy.rules(), proxy.counters()]);
    const left = inForce.filter(({ id }) => rules.includes(id)).map(({ id }) => id);
    if (left.length > 0) {
      const what = `the S3 proxy still has ${left.length === 1 ? 'the rule' : 'the rules'} ${left.join(', ')}`;
      return [{ what, byHand: left.map((id) => curlDelete(admin, id)).join(' && ') }];
    }
    const held = heldBy(counters, rules);
    const drain = `curl -fsS -m 20 -X POST ${shellQuoted(`http://${admin.host}:${admin.port}/drain`)}`;
    return held === 0 ? [] : [{ what: `the S3 proxy still holds ${held} requests`, byHand: drain }];
  } catch (thrown) {
    const byHand = `${rules.map((id) => curlDelete(admin, id)).join('; ')} (each rule also ends by itself)`;
    return [{ what: `the S3 proxy at ${admin.host}:${admin.port}: ${describeError(thrown)}`, byHand }];
  }
};
