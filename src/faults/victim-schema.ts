// How a scenario names a fault's victim: one key, one way of choosing (`leaderOf: orders/0`). Each fault accepts only the ways
// that mean something for it, and the message lists them.
import { z } from 'zod';
import { nearestName } from '../errors.ts';
import type { VictimKind, VictimSelector } from './fault.ts';
import { unionMessage } from './union-message.ts';

/** What is written in YAML for each way of choosing. */
export const WRITTEN_VICTIMS: Readonly<Record<VictimKind, string>> = {
  leaderOf: '{leaderOf: topic/partition}',
  followerOf: '{followerOf: topic/partition}',
  followersOf: '{followersOf: topic/partition}',
  broker: '{broker: id}',
  controller: '{controller: leader}',
  controllers: '{controllers: majority}',
  'controllers-minority': '{controllers: minority}',
  'brokers-minority': '{brokers: minority}',
  'brokers-majority': '{brokers: majority}',
  node: '{node: name}',
  random: '{random: count}',
  all: '{all: true}',
  'object-store': '{objectStore: true}',
  volume: '{volume: true}',
};

const partitionField = z
  .string({ error: 'Must be topic/partition, for example orders/0.' })
  .meta({ pattern: '^[^/\\s]+/\\d+$', examples: ['orders/0'] })
  .transform((written, context) => {
    const match = /^([^/\s]+)\/(\d+)$/.exec(written);
    const partition = Number(match?.[2]);
    if (match?.[1] === undefined || !Number.isSafeInteger(partition)) {
      context.addIssue({ code: 'custom', message: `"${written}" is no topic/partition; write it like orders/0.` });
      return z.NEVER;
    }
    return { topic: match[1], partition };
  });

const count = (what: string) => z.int({ error: `Must be ${what}.` });

/** A node of the cluster by its name in every target: its role and its number. */
export const nodeNameField = (): z.ZodString =>
  z
    .string()
    .regex(/^(broker|controller)\/\d+$/, 'a node is named by its role and number, like broker/1 or controller/2.');

const FIELDS = {
  leaderOf: z
    .strictObject({ leaderOf: partitionField })
    .transform((written): VictimSelector => ({ kind: 'leaderOf', ...written.leaderOf })),
  followerOf: z
    .strictObject({ followerOf: partitionField })
    .transform((written): VictimSelector => ({ kind: 'followerOf', ...written.followerOf })),
  followersOf: z
    .strictObject({ followersOf: partitionField })
    .transform((written): VictimSelector => ({ kind: 'followersOf', ...written.followersOf })),
  broker: z
    .strictObject({ broker: count('a broker id, a whole number of at least 0').min(0) })
    .transform((written): VictimSelector => ({ kind: 'broker', id: written.broker })),
  controller: z
    .strictObject({ controller: z.literal('leader') })
    .transform((): VictimSelector => ({ kind: 'controller' })),
  controllers: z
    .strictObject({ controllers: z.literal('majority') })
    .transform((): VictimSelector => ({ kind: 'controllers' })),
  'controllers-minority': z
    .strictObject({ controllers: z.literal('minority') })
    .transform((): VictimSelector => ({ kind: 'controllers-minority' })),
  'brokers-minority': z
    .strictObject({ brokers: z.literal('minority') })
    .transform((): VictimSelector => ({ kind: 'brokers-minority' })),
  'brokers-majority': z
    .strictObject({ brokers: z.literal('majority') })
    .transform((): VictimSelector => ({ kind: 'brokers-majority' })),
  node: z
    .strictObject({ node: nodeNameField() })
    .transform((written): VictimSelector => ({ kind: 'node', node: written.node })),
  random: z
    .strictObject({ random: count('how many brokers, a whole number of at least 1').min(1) })
    .transform((written): VictimSelector => ({ kind: 'random', count: written.random })),
  all: z.strictObject({ all: z.literal(true) }).transform((): VictimSelector => ({ kind: 'all' })),
  'object-store': z
    .strictObject({ objectStore: z.literal(true) })
    .transform((): VictimSelector => ({ kind: 'object-store' })),
  volume: z.strictObject({ volume: z.literal(true) }).transform((): VictimSelector => ({ kind: 'volume' })),
} satisfies Record<VictimKind, z.ZodType<VictimSelector>>;

/** The key of a way of choosing, as it is written. */
const keyOf = (kind: VictimKind): string => /^\{(\w+):/u.exec(WRITTEN_VICTIMS[kind])?.[1] ?? kind;

/** A key that nobody knows is most often a slip in one that is known. */
const meantVictim = (input: unknown, kinds: readonly VictimKind[]): string => {
  const [written = '', ...others] = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  const keys = kinds.map(keyOf);
  if (written === '' || others.length > 0 || keys.includes(written)) return '';
  const near = nearestName(written, keys);
  const meant = kinds.find((kind) => keyOf(kind) === near);
  return meant === undefined ? '' : `Did you mean ${WRITTEN_VICTIMS[meant]}? `;
};

/** The schema of `victim` for a fault that accepts `kinds` (at least one). */
export const victimSchema = (kinds: readonly VictimKind[]): z.ZodType<VictimSelector> => {
  const known = kinds.map((kind) => WRITTEN_VICTIMS[kind]).join(', ');
  const otherwise = unionMessage(`Write this fault's victim as one of ${known}.`);
  return z.union(
    kinds.map((kind) => FIELDS[kind]),
    { error: (issue) => `${meantVictim(issue.input, kinds)}${otherwise(issue)}` },
  );
};

/** A selector as a scenario writes it, for plans and reports. */
export const describeSelector = (selector: VictimSelector): string => {
  switch (selector.kind) {
    case 'leaderOf':
    case 'followerOf':
    case 'followersOf':
      return `{${selector.kind}: ${selector.topic}/${selector.partition}}`;
    case 'broker':
      return `{broker: ${selector.id}}`;
    case 'node':
      return `{node: ${selector.node}}`;
    case 'random':
      return `{random: ${selector.count}}`;
    default:
      return WRITTEN_VICTIMS[selector.kind];
  }
};
