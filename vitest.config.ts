// The Node-only tests: everything here runs on a machine that has nothing but Node.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'bin/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/systems/**', 'node_modules/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    retry: 0,
    // A poll waits for a fact, not for a speed: on a busy machine the default second is a coin toss.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
