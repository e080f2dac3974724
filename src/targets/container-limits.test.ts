import { expect, test } from 'vitest';
import {
  cpuLimitsOf,
  limitCommand,
  limitDifferences,
  limitOrder,
  limitsOf,
  memoryLimitsOf,
} from './container-limits.ts';

const MIB = 1024 ** 2;

test('a limit that was taken away reads like one that never was', () => {
  expect(limitsOf({ CpuQuota: -1, CpuPeriod: 0, MemorySwap: -1 })).toEqual({
    ...limitsOf({}),
    memorySwapBytes: -1,
  });
  expect(limitDifferences(cpuLimitsOf(limitsOf({})), limitsOf({ CpuQuota: -1 }))).toEqual([]);
});

test('only the fields that are wanted are compared, each by itself', () => {
  const was = limitsOf({ Memory: 768 * MIB, MemorySwap: 1536 * MIB, CpuQuota: 20_000 });
  const now = limitsOf({ Memory: 64 * MIB, MemorySwap: 64 * MIB });
  expect(limitDifferences(cpuLimitsOf(was), now)).toEqual(['cpuQuotaUs is 0, was 20000']);
  expect(limitDifferences(memoryLimitsOf(was), now)).toEqual([
    `memoryBytes is ${64 * MIB}, was ${768 * MIB}`,
    `memorySwapBytes is ${64 * MIB}, was ${1536 * MIB}`,
  ]);
});

test('an order names limits in the engine’s own form: −1 for none, and a CPU limit in one form only', () => {
  expect(limitOrder(cpuLimitsOf(limitsOf({})))).toEqual({ CpuQuota: -1 });
  expect(limitOrder(cpuLimitsOf(limitsOf({ CpuQuota: 5000, CpuPeriod: 50_000 })))).toEqual({
    CpuQuota: 5000,
    CpuPeriod: 50_000,
  });
  expect(limitOrder(cpuLimitsOf(limitsOf({ NanoCpus: 1_500_000_000 })))).toEqual({ NanoCpus: 1_500_000_000 });
  expect(limitOrder(memoryLimitsOf(limitsOf({ Memory: 8 * MIB, MemorySwap: -1 })))).toEqual({
    Memory: 8 * MIB,
    MemorySwap: -1,
  });
  expect(() => limitOrder(memoryLimitsOf(limitsOf({})))).toThrow(/cannot take a memory limit away again/);
});

test('the same by hand', () => {
  const was = limitsOf({ Memory: 8 * MIB, MemorySwap: 16 * MIB });
  expect(limitCommand(was, 'c1')).toBe(`docker update --memory=${8 * MIB} --memory-swap=${16 * MIB} --cpu-quota=-1 c1`);
});
