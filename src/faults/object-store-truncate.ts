// Reads of the object store end too early: either the connection does, amid an answer that promised more, or the answer is whole and
// of a shorter object. A reader must notice both; what it serves of a short object is a loss.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { CORRUPT } from './fault-params.ts';
import { downloadProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';
import { sizeField } from './unit-fields.ts';

const BEYOND_BYTES = 1024;

const params = {
  ...STORE_RULE_PARAMS,
  /** Of an answer's content, that comes through. */
  size: sizeField({ max: '8MiB' }).prefault('1KiB'),
  /** Whether an answer promises what it was, or what comes. */
  length: z.enum(['keep', 'rewrite']).prefault('keep'),
};

export const objectStoreTruncate = {
  kind: 'object-store-truncate',
  summary: 'Cuts what is read from the object store short, with or without a sign of it; the objects stay as they are.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  needsAllow: [CORRUPT],
  params,
  problem: downloadProblem,
  prepare: async (context, selector, { size: bytes, length, ...where }, signal) => {
    const { prepareStoreRuleFault } = await import('./store-rule-fault.ts');
    const body = Buffer.alloc(bytes + BEYOND_BYTES, 'canary of ackproof ');
    return await prepareStoreRuleFault(
      {
        fault: 'object-store-truncate',
        context,
        selector,
        where,
        usualOp: 'GetObject',
        action: { kind: 'truncate', bytes, length, allow: CORRUPT },
        effect: {
          classes: length === 'keep' ? ['eof', 'reset'] : ['ok'],
          holds: ({ answer }) => answer?.status === 200 && answer.body.equals(body.subarray(0, bytes)),
          body,
        },
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
