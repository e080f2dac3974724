// The write-ahead log is away while the data path stays well: no record may be acknowledged short of the log. Needs a path of
// its own for the log; where both share one, this fault cannot be told from an outage of the whole store.
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';
import type { FaultDefinition } from './fault.ts';
import { OUTAGE_MODES } from './fault-params.ts';

const params = { mode: z.enum(OUTAGE_MODES).prefault('refuse') };

export const walOutage = {
  kind: 'wal-outage',
  summary:
    'Cuts brokers off from the write-ahead log, in the object store or on a volume, while the data path stays well.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  prepare: async (context, selector, { mode }, signal) => {
    const { prepareStoreOutage } = await import('./store-path-fault.ts');
    const { target } = context;
    const path = (['s3-wal', 'wal'] as const).find((each) => target.can.links?.all.some((link) => link.path === each));
    if (path === undefined) {
      throw new EnvironmentError(
        'FAULT_UNSUPPORTED',
        `${target.description.name} has no path of its own for the log.`,
        {
          hint: 'Use object-store-outage, or give the log an endpoint of its own.',
        },
      );
    }
    return await prepareStoreOutage('wal-outage', path, context, selector, mode, signal);
  },
} satisfies FaultDefinition<typeof params>;
