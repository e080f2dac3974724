import { expect, it } from 'vitest';
import { type ContainerRecipe, recipeDifferences } from './container-recipe.ts';

const recipe = (Env: readonly string[]): ContainerRecipe => ({
  name: 'kafka-1',
  imageId: 'sha256:1',
  config: { Env, User: 'kafka' },
  hostConfig: {},
  endpoints: [],
});

// Red before: the error held every variable with its value, passwords and all.
it('names the variables that differ, and no value of any', () => {
  const was = recipe(['PATH=/bin', 'PASSWORD=old-secret', 'GONE=1']);
  const now = recipe(['PATH=/bin', 'PASSWORD=new-secret=', 'NEW']);
  expect(recipeDifferences(was, now)).toEqual(['Config.Env has another PASSWORD, GONE, NEW']);
  expect(recipeDifferences(was, was)).toEqual([]);
  expect(recipeDifferences(was, recipe(['GONE=1', 'PASSWORD=old-secret', 'PATH=/bin']))).toEqual([
    'Config.Env has the same variables in another order',
  ]);
  const { config } = was;
  expect(recipeDifferences(was, { ...was, config: { ...config, User: 'root' } })).toEqual([
    'Config.User is "root", was "kafka"',
  ]);
});
