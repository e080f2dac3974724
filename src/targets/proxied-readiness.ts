// When a cluster serves: each broker answers where clients reach it, which is its own client proxy if it has one, all brokers are
// known there, and every advertised address leads to such a place.
import { describeError, EnvironmentError } from '../errors.ts';
import { type LeadsTo, refuseBypass, servedBrokers } from './served-addresses.ts';
import type { BrokerNode } from './target.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const SERVING_DEADLINE_MS = 10_000;
const CALL_DEADLINE_MS = 1_000;

const awaitBroker = async (
  broker: BrokerNode,
  all: readonly BrokerNode[],
  { deadlineMs, leadsTo }: { readonly deadlineMs: number; readonly leadsTo?: LeadsTo },
  signal: AbortSignal,
): Promise<void> => {
  const everyMs = Math.max(10, deadlineMs / 1000);
  const wait = { awaited: `${broker.node} to serve its clients`, deadlineMs, everyMs };
  await waitFor({ ...wait, signal }, async () => {
    try {
      const brokers = await servedBrokers(broker.advertised, CALL_DEADLINE_MS, signal);
      const expected = all.map((each) => each.advertised);
      await refuseBypass(brokers, expected, leadsTo);
      return brokers.length === all.length
        ? done(undefined)
        : notYet(`it knows ${brokers.length} of ${all.length} brokers`);
    } catch (thrown) {
      if (thrown instanceof EnvironmentError && thrown.code === 'TARGET_PROXY_BYPASSED') throw thrown;
      return notYet(describeError(thrown));
    }
  });
};

/** Waits until clients are served by every one of `brokers`. */
export const awaitServing = async (
  brokers: readonly BrokerNode[],
  signal: AbortSignal,
  deadlineMs = SERVING_DEADLINE_MS,
  leadsTo?: LeadsTo,
): Promise<void> => {
  const how = { deadlineMs, ...(leadsTo !== undefined && { leadsTo }) };
  await Promise.all(brokers.map(async (broker) => await awaitBroker(broker, brokers, how, signal)));
};
