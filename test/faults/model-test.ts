// `test` with a model cluster of its own for each test, so that tests which mostly wait can wait side by side.
import { test as base } from 'vitest';
import { type ModelTarget, startModelTarget } from './model-target.ts';

export const modelTest = base.extend<{ target: ModelTarget }>({
  // The fixture needs nothing, and vitest reads that off its first parameter.
  target: async ({}, use) => {
    await using target = await startModelTarget();
    await use(target);
  },
});
