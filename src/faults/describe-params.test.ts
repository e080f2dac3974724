import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeParams } from './describe-params.ts';
import { durationField } from './unit-fields.ts';

test('a parameter is told with its values and what it is when it is left out', () => {
  expect(describeParams({ mode: z.enum(['refuse', 'blackhole']).prefault('refuse') })).toEqual([
    'mode: refuse | blackhole (refuse if left out)',
  ]);
});

test('a parameter that must be given says so, with an example in its unit', () => {
  expect(describeParams({ latency: durationField({ min: '1ms' }) })).toEqual(['latency: such as 5s (required)']);
});

test('a fault without parameters has nothing to tell', () => {
  expect(describeParams({})).toEqual([]);
});
