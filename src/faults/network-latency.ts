// Answers or requests arrive late, and nothing else changes: below the clients' timeouts no record may be lost or refused.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import {
  type Latency,
  latencyProblem,
  latencyToxics,
  leastExtraMs,
  longestExtraMs,
  quickEnough,
} from './latency-plan.ts';
import { durationField } from './unit-fields.ts';

const params = {
  latency: durationField({ min: '1ms', max: '30s' }),
  jitter: durationField({ max: '15s' }).prefault('0ms'),
  direction: z.enum(['downstream', 'upstream', 'both']).prefault('downstream'),
  path: z.enum(['client', 'controller', 's3-data', 's3-wal']).prefault('client'),
};

export const networkLatency = {
  kind: 'network-latency',
  summary: 'Delays what passes between clients and brokers, or from brokers to the controller or the object store.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  problem: ({ latency, jitter }) => latencyProblem(latency, jitter),
  prepare: async (context, selector, { latency: latencyMs, jitter: jitterMs, direction, path }, signal) => {
    const { answersLater } = await import('./link-effects.ts');
    const { linksOf, prepareLinkFault } = await import('./link-fault.ts');
    const { pathControls } = await import('./path-controls.ts');
    const { requireCapability, resolveVictims } = await import('./victim.ts');
    requireCapability(context.target.can.links, 'links', context.target);
    const victims = await resolveVictims(context, selector, signal);
    const latency: Latency = {
      latencyMs,
      jitterMs,
      directions: direction === 'both' ? ['upstream', 'downstream'] : [direction],
    };
    return await prepareLinkFault(
      {
        fault: 'network-latency',
        context,
        victims,
        links: linksOf(context.target, path, victims),
        change: { enabled: true, toxics: latencyToxics(latency, toxicPrefix(context)) },
        effect: answersLater(leastExtraMs(latency), longestExtraMs(latency)),
        controls: await pathControls(context, path, victims, signal),
        controlBound: quickEnough(latency),
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
