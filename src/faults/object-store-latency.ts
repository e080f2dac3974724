// A slow object store: uploads and cold reads take longer, and nothing may be lost, reordered or served short.
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
};

export const objectStoreLatency = {
  kind: 'object-store-latency',
  summary: 'Delays the answers of the object store on its data path.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: ({ latency, jitter }) => latencyProblem(latency, jitter),
  prepare: async (context, selector, { latency: latencyMs, jitter: jitterMs }, signal) => {
    const { answersLater } = await import('./link-effects.ts');
    const { linksOf, prepareLinkFault } = await import('./link-fault.ts');
    const { pathControls } = await import('./path-controls.ts');
    const { requireCapability, resolveVictims } = await import('./victim.ts');
    requireCapability(context.target.can.links, 'links', context.target);
    requireCapability(context.target.can.objectStore, 'object store', context.target);
    const victims = await resolveVictims(context, selector, signal);
    const latency: Latency = { latencyMs, jitterMs, directions: ['downstream'] };
    return await prepareLinkFault(
      {
        fault: 'object-store-latency',
        context,
        victims,
        links: linksOf(context.target, 's3-data', victims),
        change: { enabled: true, toxics: latencyToxics(latency, toxicPrefix(context)) },
        effect: answersLater(leastExtraMs(latency), longestExtraMs(latency)),
        controls: await pathControls(context, 's3-data', victims, signal),
        controlBound: quickEnough(latency),
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
