// The Node-only tests: everything here runs on a machine that has nothing but Node.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'bin/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/systems/**', 'node_modules/**'],
    // Only there to end what hangs: what a test waits for has a deadline of its own, and a busy machine takes its time.
    testTimeout: 150_000,
    hookTimeout: 150_000,
    retry: 0,
    // A poll waits for a fact, not for a speed: on a busy machine the default second is a coin toss.
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
