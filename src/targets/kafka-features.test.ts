import { expect, test } from 'vitest';
import { defaultFeatures } from './kafka-features.ts';

test('eligible leader replicas are on from Kafka 4.1', () => {
  const on = { 'eligible.leader.replicas.version': 1 };
  expect(['4.1.0', '4.1.2', '4.4.0', '5.0.0'].map(defaultFeatures)).toEqual([on, on, on, on]);
  expect(['3.9.1', '4.0.1'].map(defaultFeatures)).toEqual([{}, {}]);
});
