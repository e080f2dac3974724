// The drills of the compose kill sweep: one fault each, prepared seconds before its moment and long enough to be killed under it,
// on a project that runs already.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallDrill } from '../small-drill.ts';

/**
 * The faults that drills are made with, in turn: as many as have no divisor in common with the moments. Every fourth is killed
 * while it prepares, so that those which make canary topics (the loss faults, disk-full, leader-election, broker-degrade) or helper
 * containers (packet-loss, also where the kernel cannot do it) stand there.
 */
export const CONTAINER_FAULTS = [
  'disk-full',
  'broker-degrade',
  'process-pause',
  'node-isolate',
  'leader-election',
  'response-loss',
  'client-partition',
  'cpu-throttle',
  'request-loss',
  'graceful-stop',
  'oom-kill',
  'process-kill',
  'packet-loss',
  'network-latency',
  'network-partition',
] as const;
export type ContainerFault = (typeof CONTAINER_FAULTS)[number];

/** Those that make a canary topic while they prepare. */
export const MAKES_TOPIC: ReadonlySet<ContainerFault> = new Set([
  'broker-degrade',
  'disk-full',
  'leader-election',
  'request-loss',
  'response-loss',
]);

/** What a fault must be told besides its victim. */
const PARAMS: Partial<Record<ContainerFault, string>> = {
  'broker-degrade': '{ settings: { message.max.bytes: "4000" } }',
  'leader-election': '{ stableFor: 2s }',
  'network-latency': '{ latency: 300ms }',
};

const victimOf = (fault: ContainerFault): string =>
  fault === 'leader-election' ? '{ leaderOf: orders/0 }' : '{ broker: 2 }';

/** Writes the drill with `fault` on `project` into `directory`; the file's path. It heals after `seconds`, or as soon as it is proved. */
export const writeContainerScenario = (
  directory: string,
  fault: ContainerFault,
  project: string,
  seconds: number,
): string => {
  const target = join(directory, 'compose-target.yaml');
  writeFileSync(
    target,
    `apiVersion: ackproof/v1\nkind: compose\nproject: ${project}\nattach: true\nallowFaults: [${fault}]\n`,
  );
  const file = join(directory, `compose-kill-sweep-${fault}.yaml`);
  const params = PARAMS[fault] === undefined ? '' : `, params: ${PARAMS[fault]}`;
  const text = smallDrill({
    name: 'compose-kill-sweep',
    claim: "A drill that dies while its fault acts leaves somebody else's cluster as it was.",
    target: 'compose-target.yaml',
    duration: '60s',
    faults: `faults:
  - { fault: ${fault}, victim: ${victimOf(fault)}, at: 7s, duration: ${seconds}s${params} }`,
  });
  writeFileSync(file, text);
  return file;
};
