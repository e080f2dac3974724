// A drill with a small load on one partition, for tests that care about what is done to it and not about what it finds.

export interface SmallDrill {
  readonly name: string;
  readonly claim: string;
  /** Beside the drill; default target.yaml. */
  readonly target?: string;
  /** Default 2. */
  readonly minInSyncReplicas?: number;
  readonly duration: string;
  /** As in the file: `faults:` with its lines, or what stands instead of it. */
  readonly faults: string;
}

/** The text of its scenario file. */
export const smallDrill = (drill: SmallDrill): string => {
  const { name, claim, target = 'target.yaml', minInSyncReplicas = 2, duration, faults } = drill;
  return `apiVersion: ackproof/v1
name: ${name}
claim: ${claim}
target: ./${target}
contract: { acks: all, minInSyncReplicas: ${minInSyncReplicas}, boundary: replicated, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 1, replicationFactor: 3 }
  producers: 1
  rate: 100/s
  client: wire
  record: { size: 256B, batch: 10 }
  warmUp: 1s
  duration: ${duration}
${faults}
replay: { client: wire, passes: [full] }
control: false
seed: 7
`;
};
