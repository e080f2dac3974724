// The short drills of the kill sweep: about six seconds each, one fault, no control run. A paused process is among them because
// it does not notice that the run which paused it is gone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The faults that drills are made with, in turn. */
export const SWEPT_FAULTS = ['process-kill', 'process-pause', 'wal-outage'] as const;
export type SweptFault = (typeof SWEPT_FAULTS)[number];

const FAULT_LINES: Readonly<Record<SweptFault, string>> = {
  'process-kill': '{ fault: process-kill, victim: { leaderOf: orders/0 }, at: 500ms, duration: 1500ms }',
  'process-pause': '{ fault: process-pause, victim: { leaderOf: orders/0 }, at: 500ms, duration: 2500ms }',
  'wal-outage': '{ fault: wal-outage, at: 500ms, duration: 1500ms }',
};

/** Writes the drill with `fault` into `directory`; the file's path. */
export const writeScenario = (directory: string, fault: SweptFault): string => {
  const file = join(directory, `kill-sweep-${fault}.yaml`);
  const text = `apiVersion: ackproof/v1
name: kill-sweep
claim: A drill that dies at any moment leaves nothing behind and claims no more than it saw.
target: embedded
contract: { acks: all, minInSyncReplicas: 2, boundary: wal, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  producers: 1
  rate: 1000/s
  client: wire
  record: { size: 256B, batch: 10 }
  warmUp: 300ms
  duration: 4s
faults:
  - ${FAULT_LINES[fault]}
replay: { client: wire, passes: [full], suspects: { after: 200ms } }
control: false
seed: 7
`;
  writeFileSync(file, text);
  return file;
};
