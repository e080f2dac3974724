// Failure now, commit later: whoever writes is told that it failed, or nothing, and the same bytes reach the object store some time
// after, perhaps over a newer try. What was given up comes back.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { changeProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';
import { durationField } from './unit-fields.ts';

const params = {
  ...STORE_RULE_PARAMS,
  /** How long after the failure was told. */
  after: durationField({ min: '100ms', max: '5m' }).prefault('2s'),
  /** Told by an error of the store, or by a connection that is reset. */
  reply: z.enum(['status', 'drop']).prefault('status'),
  perKey: z.int().min(1).exactOptional(),
};

export const objectStoreLateCommit = {
  kind: 'object-store-late-commit',
  summary: 'Tells that writes to the object store failed, and lets them take effect some time after.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: changeProblem,
  prepare: async (context, selector, { after: afterMs, reply, perKey, ...where }, signal) => {
    const { prepareStoreWriteFault } = await import('./store-write-fault.ts');
    return await prepareStoreWriteFault(
      {
        fault: 'object-store-late-commit',
        context,
        selector,
        where,
        action: { kind: 'late-forward', afterMs, reply },
        ...(perKey !== undefined && { perKey }),
        classes: reply === 'status' ? ['http:500'] : ['reset'],
        committed: { kind: 'later', afterMs },
        didSo: ({ lateForwards }) => lateForwards.length > 0,
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
