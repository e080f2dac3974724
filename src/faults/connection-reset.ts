// Connections end with a reset when an answer comes back, so requests may have taken effect. Held connections are cut as the
// fault begins, because a reset toxic alone would leave an idle one alone.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { linkChanges } from './fault-params.ts';
import { resetAtAnswer } from './toxics.ts';
import { durationField } from './unit-fields.ts';

const params = {
  after: durationField({ max: '400ms' }).prefault('0ms'),
  path: z.enum(['client', 's3-data', 's3-wal']).prefault('client'),
};

export const connectionReset = {
  kind: 'connection-reset',
  summary: 'Resets connections as soon as an answer comes back on them.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ path }) => [path],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  changes: linkChanges,
  prepare: async (context, selector, { after, path }, signal) => {
    const { failsAs } = await import('./link-effects.ts');
    const { prepareLinkFault } = await import('./link-fault.ts');
    const { resolveLinkVictims } = await import('./victim.ts');
    const victims = await resolveLinkVictims(context, selector, signal);
    return await prepareLinkFault(
      {
        fault: 'connection-reset',
        context,
        victims,
        path,
        change: { enabled: true, toxics: resetAtAnswer(toxicPrefix(context), after), bounce: true },
        effect: failsAs(['reset'], ['reset', 'eof']),
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
