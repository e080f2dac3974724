// The kinds of target there are, sorted; everything that lists, validates or starts targets goes by this array.
// Validating needs none of the code that starts one, so that code is loaded when it is used.
import type { z } from 'zod';
import { externalSpecSchema } from './external-spec.ts';
import type { CapabilityName, PathName, StartedTarget, StartOptions } from './target.ts';
import { composeSpecSchema, embeddedSpecSchema, processSpecSchema, type TargetSpec, walPath } from './target-spec.ts';
import { tieredBucket } from './tiered-spec.ts';

interface Added {
  readonly offers: readonly CapabilityName[];
  readonly paths: readonly PathName[];
}

interface TargetDefinition<S extends z.ZodType> {
  readonly kind: string;
  /** One sentence. */
  readonly summary: string;
  readonly spec: S;
  /** What it can do, known before it is started: a scenario that needs more is refused at validation. */
  readonly offers: readonly CapabilityName[];
  /** The paths it has proxies on. */
  readonly paths: readonly PathName[];
  /** What its file may add to these. */
  more?(spec: z.infer<S>): Added;
  start(spec: z.infer<S>, options: StartOptions): Promise<StartedTarget>;
}

const define = <S extends z.ZodType, K extends string>(
  definition: TargetDefinition<S> & { readonly kind: K },
): TargetDefinition<S> & { readonly kind: K } => definition;

const compose = define({
  kind: 'compose',
  summary: 'Apache Kafka in Docker Compose, with a Toxiproxy on every path between clients, brokers and controllers.',
  spec: composeSpecSchema,
  offers: ['administration', 'containers', 'disks', 'links', 'processes'],
  paths: ['client', 'controller', 'internal'],
  start: async (spec, options) => await (await import('./compose.ts')).startCompose(spec, options),
});

const embedded = define({
  kind: 'embedded',
  summary: 'An object-storage cluster of separate processes on this machine that ackproof brings along.',
  spec: embeddedSpecSchema,
  offers: ['brokerStats', 'cooling', 'links', 'objectStore', 'processes', 'storeProxy'],
  paths: ['client', 'controller', 's3-data'],
  more: ({ wal }) => ({ offers: wal === 's3' ? [] : ['volumeIo'], paths: [walPath(wal)] }),
  start: async (spec, options) => await (await import('./embedded.ts')).startEmbedded(spec, options),
});

const external = define({
  kind: 'external',
  summary: 'A cluster that somebody else runs, reached by its bootstrap servers.',
  spec: externalSpecSchema,
  offers: ['administration'],
  paths: [],
  more: ({ toxiproxy, commands }) => ({
    offers: [
      ...(Object.keys(commands).length > 0 ? (['commands'] as const) : []),
      ...(toxiproxy === undefined ? [] : (['links'] as const)),
    ],
    paths: toxiproxy === undefined ? [] : ['client'],
  }),
  start: async (spec, options) => await (await import('./external.ts')).startExternal(spec, options),
});

const processTarget = define({
  kind: 'process',
  summary: 'Apache Kafka itself as processes of this machine, every path between them through a proxy.',
  spec: processSpecSchema,
  offers: ['administration', 'disks', 'links', 'processes'],
  paths: ['client', 'controller', 'internal'],
  more: (spec) => {
    const bucket = tieredBucket(spec);
    return {
      offers: [
        ...(spec.spareBrokers > 0 ? (['spares'] as const) : []),
        ...(bucket === undefined ? [] : (['objectStore'] as const)),
        ...(bucket === undefined || bucket.store !== undefined ? [] : (['cooling'] as const)),
      ],
      paths: bucket === undefined ? [] : ['s3-data'],
    };
  },
  start: async (spec, options) => await (await import('./process.ts')).startProcesses(spec, options),
});

export const TARGET_REGISTRY = [compose, embedded, external, processTarget] as const;

const added = (spec: TargetSpec): Added | undefined => {
  switch (spec.kind) {
    case 'compose':
      return compose.more?.(spec);
    case 'embedded':
      return embedded.more?.(spec);
    case 'external':
      return external.more?.(spec);
    case 'process':
      return processTarget.more?.(spec);
  }
};

const definitionOf = ({ kind }: TargetSpec): (typeof TARGET_REGISTRY)[number] | undefined =>
  TARGET_REGISTRY.find((target) => target.kind === kind);

/** What a target made from `spec` will be able to do. */
export const offersOf = (spec: TargetSpec): readonly CapabilityName[] =>
  [...(definitionOf(spec)?.offers ?? []), ...(added(spec)?.offers ?? [])].sort();

/** The paths a target made from `spec` will have proxies on. */
export const pathsOf = (spec: TargetSpec): readonly PathName[] => [
  ...(definitionOf(spec)?.paths ?? []),
  ...(added(spec)?.paths ?? []),
];

/** Starts the target that `spec` describes. */
export const startTarget = async (spec: TargetSpec, options: StartOptions): Promise<StartedTarget> => {
  switch (spec.kind) {
    case 'compose':
      return await compose.start(spec, options);
    case 'embedded':
      return await embedded.start(spec, options);
    case 'external':
      return await external.start(spec, options);
    case 'process':
      return await processTarget.start(spec, options);
  }
};
