// Reads back from the cluster what the contract of a run says of its topic. A topic that does not have it makes every verdict
// about that contract meaningless, so a mismatch stops the run before it starts (and spoils it when it appears on the way).
import type { ClusterClient } from '../wire/cluster-client.ts';
import { type CallOptions, describeConfigs, describeTopic } from '../wire/evidence-calls.ts';

/** What the topic should be. */
export interface WantedTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly minInSyncReplicas: number;
  readonly uncleanLeaderElection: boolean;
  /** Topic settings the scenario asks for. */
  readonly config: Readonly<Record<string, string>>;
}

export interface ContractMismatch {
  readonly setting: string;
  readonly wanted: string;
  /** `not told` where the cluster says nothing about it. */
  readonly found: string;
}

export interface ContractReading {
  /** Settings that decide what may be lost or go missing, as the cluster tells them. */
  readonly config: Readonly<Record<string, string>>;
  readonly mismatches: readonly ContractMismatch[];
}

const MIN_ISR = 'min.insync.replicas';
const UNCLEAN = 'unclean.leader.election.enable';
const NOT_TOLD = 'not told';
/** Settings that are recorded whether or not the scenario asks for them. */
const RECORDED = [
  MIN_ISR,
  UNCLEAN,
  'cleanup.policy',
  'retention.ms',
  'retention.bytes',
  'message.timestamp.type',
  'flush.messages',
  'flush.ms',
];

/** Everything that is not as wanted; pure. */
export const mismatchesOf = (
  wanted: WantedTopic,
  found: { readonly partitions: number; readonly replicationFactor: number },
  config: ReadonlyMap<string, string | null>,
): readonly ContractMismatch[] => {
  const expectations: readonly (readonly [setting: string, wanted: string, found: string])[] = [
    ['partitions', String(wanted.partitions), String(found.partitions)],
    ['replicationFactor', String(wanted.replicationFactor), String(found.replicationFactor)],
    [MIN_ISR, String(wanted.minInSyncReplicas), config.get(MIN_ISR) ?? NOT_TOLD],
    [UNCLEAN, String(wanted.uncleanLeaderElection), config.get(UNCLEAN) ?? NOT_TOLD],
    // Unsaid, a log keeps every record until it is too old or too large; one that drops them by key proves nothing about loss.
    ...('cleanup.policy' in wanted.config || !(config.get('cleanup.policy') ?? '').includes('compact')
      ? []
      : [['cleanup.policy', 'delete', config.get('cleanup.policy') ?? NOT_TOLD] as const]),
    ...Object.entries(wanted.config)
      .filter(([setting]) => setting !== MIN_ISR && setting !== UNCLEAN)
      .map(([setting, value]) => [setting, value, config.get(setting) ?? NOT_TOLD] as const),
  ];
  return expectations
    .filter(([, expected, actual]) => expected !== actual)
    .map(([setting, expected, actual]) => ({ setting, wanted: expected, found: actual }));
};

/** Asks the cluster. Throws when it does not answer within the deadline, or does not know the topic. */
export const readContract = async (
  client: ClusterClient,
  wanted: WantedTopic,
  options: CallOptions,
): Promise<ContractReading> => {
  const described = await describeTopic(client, wanted.topic, options);
  const config = await describeConfigs(client, { type: 'topic', name: wanted.topic }, options);
  const rows = described.partitions;
  const found = {
    partitions: rows.length,
    replicationFactor: rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.replicas.length)),
  };
  const recorded = [...new Set([...RECORDED, ...Object.keys(wanted.config)])].flatMap((setting) => {
    const value = config.get(setting);
    return value === undefined || value === null ? [] : [[setting, value] as const];
  });
  return {
    config: Object.fromEntries(recorded),
    mismatches: mismatchesOf(wanted, found, config),
  };
};
