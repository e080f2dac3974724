// The ambiguous acknowledgement: requests arrive and take effect, answers are lost. A client cannot know, so what it sent counts
// as unknown, never as lost, and a retry must not be stored twice where the contract says so.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { LOSS_PATHS, linkChanges } from './fault-params.ts';
import { closeAtAnswer, swallowAnswers } from './toxics.ts';

const params = {
  /** Whether a sender waits in vain or sees its connection end. */
  how: z.enum(['hang', 'close']).prefault('hang'),
  path: z.enum(LOSS_PATHS).prefault('client'),
};

export const responseLoss = {
  kind: 'response-loss',
  summary: 'Lets requests through and loses the answers, so that nobody knows whether they took effect.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ path }) => [path],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  changes: linkChanges,
  prepare: async (context, selector, { how, path }, signal) => {
    const { prepareLoss } = await import('./loss-fault.ts');
    const prefix = toxicPrefix(context);
    return await prepareLoss(
      {
        fault: 'response-loss',
        context,
        selector,
        path,
        toxics: how === 'hang' ? swallowAnswers(prefix) : closeAtAnswer(prefix),
        classes: how === 'hang' ? ['timeout'] : ['eof', 'reset'],
        takesEffect: true,
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
