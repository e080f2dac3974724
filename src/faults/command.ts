// Whatever ackproof cannot do itself: programs of whoever runs the cluster, which break something, say whether it is broken, and put
// it back. Their names and words stand in the target file, so that a scenario carries no program of its own.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { FULL_OUTAGE } from './fault-params.ts';

const params = {
  /** Of the commands in the target file. */
  name: z
    .string({ error: 'Must be the name of a command in the target file, for example rack-power.' })
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name is lower-case words joined by hyphens, like "rack-power".')
    .meta({ examples: ['rack-power'] }),
};

export const command = {
  kind: 'command',
  summary:
    'Runs programs that the target file names: they break something, prove it, and put it back after the duration.',
  recovery: 'healable',
  requires: ['commands'],
  backends: ['command'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  mayAllow: [FULL_OUTAGE],
  params,
  prepare: async (context, selector, { name }, signal) => {
    const { prepareByCommand } = await import('./command-fault.ts');
    const mayHitAll = context.allow?.includes(FULL_OUTAGE) === true;
    return await prepareByCommand({ fault: 'command', name, context, selector, params: {}, mayHitAll }, signal);
  },
} satisfies FaultDefinition<typeof params>;
