// The write-ahead log is away while the data path stays well: no record may be acknowledged short of the log. Needs a path of
// its own for the log; where both share one, this fault cannot be told from an outage of the whole store.
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';
import type { FaultDefinition } from './fault.ts';
import { OUTAGE_MODES } from './fault-params.ts';
import { outageProblem } from './store-outage-params.ts';
import { backendProblem, isSelective, WHICH_REQUESTS } from './store-rule-params.ts';

const params = { mode: z.enum(OUTAGE_MODES).prefault('refuse'), ...WHICH_REQUESTS };

export const walOutage = {
  kind: 'wal-outage',
  summary:
    'Cuts brokers off from the write-ahead log, in the object store or on a volume, while the data path stays well.',
  recovery: 'healable',
  requires: ['objectStore'],
  requiresOneOf: ['links', 'storeProxy'],
  // A log on a volume is asked in another protocol, whose requests no rule knows.
  paths: (outage) => (isSelective(outage) ? ['s3-wal'] : []),
  backends: ['toxiproxy', 's3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: outageProblem,
  mismatch: (_, which) => backendProblem(which),
  prepare: async (context, selector, outage, signal) => {
    const { prepareStoreOutage } = await import('./store-path-fault.ts');
    const { target } = context;
    const ways = [...(target.can.links?.all ?? []), ...(target.can.storeProxy?.all ?? [])];
    const path = (['s3-wal', 'wal'] as const).find((each) => ways.some((way) => way.path === each));
    if (path === undefined) {
      throw new EnvironmentError(
        'FAULT_UNSUPPORTED',
        `${target.description.name} has no path of its own for the log.`,
        {
          hint: 'Use object-store-outage, or give the log an endpoint of its own.',
        },
      );
    }
    return await prepareStoreOutage({ fault: 'wal-outage', path, context, selector, outage }, signal);
  },
} satisfies FaultDefinition<typeof params>;
