// A broker that goes on with worse settings: it takes smaller batches only, fewer new connections, or works with fewer threads. The
// settings are changed while it runs, on this broker alone, and only those of a fixed list: each of them can be put back the same way.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';

/** Kafka's settings are written as in server.properties, and so are their values. */
const numberBetween = (least: number, most: number) =>
  z
    .string({ error: 'Must be a number in quotes, as in server.properties.' })
    .regex(/^[1-9]\d{0,9}$/, 'must be a whole number, as in server.properties.')
    .refine((written) => Number(written) >= least && Number(written) <= most, `must be from ${least} to ${most}.`)
    .exactOptional();

const params = {
  settings: z
    .strictObject({
      /** New connections a second; over it they wait. */
      'max.connection.creation.rate': numberBetween(1, 20),
      /** The largest batch, bytes, of topics that do not say otherwise. */
      'message.max.bytes': numberBetween(200, 900_000),
      /** Kafka takes no less than half of what there is. No canary can see it: see `confirm: {require: mechanism}`. */
      'num.io.threads': numberBetween(1, 128),
      'num.network.threads': numberBetween(1, 128),
    })
    .refine((settings) => Object.keys(settings).length > 0, 'name at least one setting.'),
};

export const brokerDegrade = {
  kind: 'broker-degrade',
  summary: 'Changes settings of running brokers for the worse, from a fixed list, and puts back what was set before.',
  recovery: 'healable',
  requires: ['administration'],
  backends: ['kafka'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  duration: 'required',
  params,
  changes: ({ settings }) => ({
    meanwhile: `the victims work with ${Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}, for everybody who uses them`,
    undo: 'each of these settings becomes what it was on that broker, or is unset where it was not set',
  }),
  prepare: async (context, selector, { settings }, signal) => {
    const { prepareDegrade } = await import('./degrade.ts');
    return await prepareDegrade(context, selector, settings, signal);
  },
} satisfies FaultDefinition<typeof params>;
