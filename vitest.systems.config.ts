// The tests against real systems: Apache Kafka, kcat, the Java tools, a real Toxiproxy. Serial, no retries.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/systems/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    retry: 0,
    fileParallelism: false,
    maxWorkers: 1,
  },
});
