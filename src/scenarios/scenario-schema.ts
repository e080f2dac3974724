// The scenario file, as Zod: strict objects, units as strings, defaults that are safe. The JSON Schema for editors, the
// `validate` command and the types all come from here.
import { z } from 'zod';
import { faultSchema } from '../faults/fault-schema.ts';
import { durationField, rateField, sizeField } from '../faults/unit-fields.ts';
import { ANOMALIES, BOUNDARIES, SURVIVALS } from '../vocabulary.ts';
import { REPLAY_PASSES } from './scenario.ts';

const nameField = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name is lower-case words joined by hyphens, like "leader-kill".')
  .max(60);
const topicNameField = z
  .string()
  .regex(/^[a-zA-Z0-9._-]+$/, 'a topic name holds letters, digits, ".", "_" and "-" only.')
  .max(100);
const whole = (least: number, most: number) => z.int().min(least).max(most);
const anomalyField = z.enum(ANOMALIES);

const rateProblem = ({ input }: { readonly input?: unknown }): string =>
  typeof input === 'number'
    ? `${input} has no unit. Write ${input}/s if so meant, or max.`
    : 'Write a rate of at least 1/h like 2000/s, or max.';

/** The largest seed there is. */
export const MOST_SEED = 0x7fffffff;

const contractSchema = z
  .strictObject({
    acks: z.union([z.literal('all'), z.literal(1), z.literal(0)], { error: 'acks is all, 1 or 0.' }).default('all'),
    idempotence: z.boolean().default(false),
    minInSyncReplicas: whole(1, 100).default(1),
    deliveryTimeout: durationField({ min: '100ms', max: '1h' }).prefault('30s'),
    boundary: z.enum(BOUNDARIES).default('replicated'),
    survives: z.array(z.enum(SURVIVALS)).default([]),
    uncleanLeaderElection: z.boolean().default(false),
    deleteRecords: z.boolean().default(false),
    laggingReads: z.boolean().default(false),
    allow: z.array(z.strictObject({ anomaly: anomalyField, because: z.string().min(10) })).default([]),
    forbid: z.array(anomalyField).default([]),
  })
  .prefault({});

const workloadSchema = z.strictObject({
  topic: z.strictObject({
    name: topicNameField,
    partitions: whole(1, 10_000),
    replicationFactor: whole(1, 100).default(3),
    config: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({}),
    existing: z.boolean().default(false),
  }),
  producers: whole(1, 100).default(2),
  rate: z.union([z.literal('max'), rateField({ min: '1/h' })], { error: rateProblem }).default('max'),
  client: z.string().default('kafkajs'),
  retry: z.enum(['none', 'same-batch']).default('none'),
  splitSend: z.boolean().default(false),
  attemptTimeout: durationField({ min: '100ms', max: '10m' }).prefault('4s'),
  record: z
    .strictObject({
      size: sizeField({ min: '160B', max: '900KiB' }).prefault('512B'),
      batch: whole(1, 10_000).default(50),
    })
    .prefault({}),
  warmUp: durationField({ min: '100ms', max: '1h' }).prefault('1s'),
  duration: durationField({ min: '500ms', max: '24h' }),
});

export const scenarioSchema = z.strictObject({
  apiVersion: z.literal('ackproof/v1'),
  name: nameField,
  claim: z
    .string()
    .min(20, 'a claim is one whole sentence, of at least 20 characters, that can be proved wrong.')
    .max(400),
  target: z.string().min(1),
  contract: contractSchema,
  workload: workloadSchema,
  faults: z.array(faultSchema).default([]),
  replay: z
    .strictObject({
      passes: z
        .array(z.enum(REPLAY_PASSES))
        .min(1)
        .refine((passes) => new Set(passes).size === passes.length, 'each pass is made once; name it once.')
        .default(['full']),
      client: z.string().default('wire'),
      suspects: z.strictObject({ after: durationField({ max: '1h' }).prefault('30s') }).prefault({}),
    })
    .prefault({}),
  bounds: z
    .strictObject({
      recoverWithin: durationField({ min: '1ms' }).optional(),
      longestGap: durationField({ min: '1ms' }).optional(),
    })
    .default({}),
  control: z.boolean().default(true),
  baseline: z.boolean().default(false),
  seed: whole(0, MOST_SEED).optional(),
});
export type ScenarioDocument = z.infer<typeof scenarioSchema>;
