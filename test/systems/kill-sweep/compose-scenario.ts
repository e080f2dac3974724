// The drills of the compose kill sweep: one fault of containers each, long enough to be killed under it, on a project that runs
// already.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The faults that drills are made with, in turn. */
export const CONTAINER_FAULTS = [
  'node-isolate',
  'cpu-throttle',
  'process-pause',
  'disk-full',
  'client-partition',
  'oom-kill',
  'process-kill',
  'network-latency',
  'network-partition',
] as const;
export type ContainerFault = (typeof CONTAINER_FAULTS)[number];

/** What a fault must be told besides its victim. */
const PARAMS: Partial<Record<ContainerFault, string>> = { 'network-latency': '{ latency: 300ms }' };

/** Writes the drill with `fault` on `project` into `directory`; the file's path. */
export const writeContainerScenario = (directory: string, fault: ContainerFault, project: string): string => {
  const target = join(directory, 'compose-target.yaml');
  writeFileSync(
    target,
    `apiVersion: ackproof/v1\nkind: compose\nproject: ${project}\nattach: true\nallowFaults: [${fault}]\n`,
  );
  const file = join(directory, `compose-kill-sweep-${fault}.yaml`);
  const params = PARAMS[fault] === undefined ? '' : `, params: ${PARAMS[fault]}`;
  const text = `apiVersion: ackproof/v1
name: compose-kill-sweep
claim: A drill that dies while its fault acts leaves somebody else's cluster as it was.
target: ./compose-target.yaml
contract: { acks: all, minInSyncReplicas: 2, boundary: replicated, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 1, replicationFactor: 3 }
  producers: 1
  rate: 100/s
  client: wire
  record: { size: 256B, batch: 10 }
  warmUp: 1s
  duration: 60s
faults:
  - { fault: ${fault}, victim: { broker: 2 }, at: 1s, duration: 40s${params} }
replay: { client: wire, passes: [full] }
control: false
seed: 7
`;
  writeFileSync(file, text);
  return file;
};
