// Reads of the object store bring other bytes than were written, and nothing says so but a checksum. A reader that has none serves them.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { CORRUPT } from './fault-params.ts';
import { downloadProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';
import { sizeField } from './unit-fields.ts';

const AROUND_BYTES = 64;

const params = {
  ...STORE_RULE_PARAMS,
  /** Where in an answer's content they begin. */
  offset: sizeField({ max: '8MiB' }).prefault('0B'),
  /** How many, each of them another one. */
  count: z.int().min(1).max(1024).prefault(1),
};

/** Those bytes are others, each of them, and no others are. */
const differsThere = (seen: Buffer, written: Buffer, offset: number, count: number): boolean =>
  seen.length === written.length &&
  seen.every((byte, at) => (byte !== written[at]) === (at >= offset && at < offset + count));

export const objectStoreCorrupt = {
  kind: 'object-store-corrupt',
  summary: 'Changes bytes of what is read from the object store; the objects stay as they are.',
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
  prepare: async (context, selector, { offset, count, ...where }, signal) => {
    const { prepareStoreRuleFault } = await import('./store-rule-fault.ts');
    const body = Buffer.alloc(offset + count + AROUND_BYTES, 'canary of ackproof ');
    return await prepareStoreRuleFault(
      {
        fault: 'object-store-corrupt',
        context,
        selector,
        where,
        usualOp: 'GetObject',
        action: { kind: 'corrupt', offsetBytes: offset, countBytes: count, allow: CORRUPT },
        effect: {
          classes: ['ok'],
          holds: ({ answer }) => answer !== undefined && differsThere(answer.body, body, offset, count),
          body,
        },
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
