import { expect, test } from 'vitest';
import { settingsToJudgeBy } from './settings-in-force.ts';

const load = { ratePerSecond: 100, record: { sizeBytes: 512, batch: 1 }, warmUpMs: 1000, durationMs: 19_000 };
const told = { 'retention.ms': '10000', 'cleanup.policy': 'delete', 'min.insync.replicas': '2' };

test('a part is judged by the retention and clean-up that are in force', () => {
  expect(settingsToJudgeBy(told, load)).toEqual({ 'retention.ms': '10000', 'cleanup.policy': 'delete' });
  expect(settingsToJudgeBy({}, load)).toEqual({});
});

test('a size that the load cannot reach explains nothing that is gone', () => {
  const sized = (retentionBytes: number, rate: number | 'max' = 100): string | undefined =>
    settingsToJudgeBy({ 'retention.bytes': String(retentionBytes) }, { ...load, ratePerSecond: rate })[
      'retention.bytes'
    ];
  expect(sized(1_000_000)).toBe('1000000');
  expect(sized(-1)).toBe('-1');
  expect(sized(1e9)).toBeUndefined();
  expect(sized(5_000_000, 1)).toBe('5000000');
  expect(sized(1e9, 'max')).toBe('1000000000');
  expect(sized(1e12, 'max')).toBeUndefined();
});
