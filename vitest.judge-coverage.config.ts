// How much of the judge its own tests reach: below the floor, a part of a rule can break unseen. Run by .ci/run.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/ledger/**/*.test.ts', 'test/agreement/**/*.test.ts'],
    testTimeout: 150_000,
    retry: 0,
    maxWorkers: 2,
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/ledger/**/*.ts'],
      reporter: ['text-summary'],
      thresholds: { branches: 95, lines: 97 },
    },
  },
});
