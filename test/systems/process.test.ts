// The process target on real Apache Kafka: the contract of all targets, and drills. What its settings promise is kept, and what they
// do not promise is really lost, found and named.
import { beforeAll } from 'vitest';
import { markedProcesses } from '../../src/faults/run-processes.ts';
import { describeSystem } from '../support/systems.ts';
import { describeTarget } from '../targets/target-contract.ts';
import { testDrills } from './drill-table.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const MINUTES = 60_000;

describeSystem('kafka', () => {
  beforeAll(() => {
    kafkaLibs();
  }, 10 * MINUTES);

  describeTarget('process', {
    spec: () => ({ spareBrokers: 1 }),
    broken: { spec: { kafkaHome: import.meta.dirname }, defects: [] },
    // A start takes a quarter of a minute.
    rounds: 1,
    brokersToBreak: 1,
    orderly: { exitCode: 143, graceMs: 60_000 },
    hasProcesses: true,
  });

  testDrills(['process', 'process-spare'], (folder) =>
    markedProcesses().filter(({ command }) => command.includes(folder)),
  );
});
