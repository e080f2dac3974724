// Tiered storage on real Apache Kafka: what was copied away is read back from there, what cannot be reached is waited for, and what was
// deleted there is missed and named.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll } from 'vitest';
import { markedProcesses } from '../../src/faults/run-processes.ts';
import { describeSystem } from '../support/systems.ts';
import { testDrills } from './drill-table.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const MINUTES = 60_000;
const BUILD = resolve(import.meta.dirname, '..', '..', 'docker', 'tiered-storage', 'build.sh');

describeSystem('kafka', () => {
  beforeAll(() => {
    kafkaLibs();
    execFileSync('bash', [BUILD], { stdio: ['ignore', 'ignore', 'inherit'] });
  }, 20 * MINUTES);

  testDrills(['process-tiered', 'process-tiered-local'], (folder) =>
    markedProcesses().filter(({ command }) => command.includes(folder)),
  );
});
