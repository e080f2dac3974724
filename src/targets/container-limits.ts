// Limits of a container in our own words: read from what the engine tells, compared field by field, and as the fields of an order
// that changes them. Pure.
import { EnvironmentError } from '../errors.ts';
import type { ContainerLimits, CpuLimits, MemoryLimits } from './container-control.ts';

/** The kernel's own, which counts where nobody named one. */
const DEFAULT_PERIOD_US = 100_000;

/** The fields that are read of a container's `HostConfig`. */
export interface RawLimits {
  readonly Memory?: number | undefined;
  readonly MemorySwap?: number | undefined;
  readonly CpuQuota?: number | undefined;
  readonly CpuPeriod?: number | undefined;
  readonly NanoCpus?: number | undefined;
}

/** A limit that was taken away again reads −1, one that never was 0: both mean none. */
const orNone = (limit: number | undefined): number => Math.max(0, limit ?? 0);

export const limitsOf = ({ Memory, MemorySwap, CpuQuota, CpuPeriod, NanoCpus }: RawLimits): ContainerLimits => ({
  memoryBytes: orNone(Memory),
  memorySwapBytes: MemorySwap ?? 0,
  cpuQuotaUs: orNone(CpuQuota),
  cpuPeriodUs: orNone(CpuPeriod) || DEFAULT_PERIOD_US,
  nanoCpus: orNone(NanoCpus),
});

export const cpuLimitsOf = ({ cpuQuotaUs, cpuPeriodUs, nanoCpus }: ContainerLimits): CpuLimits => ({
  cpuQuotaUs,
  cpuPeriodUs,
  nanoCpus,
});

export const memoryLimitsOf = ({ memoryBytes, memorySwapBytes }: ContainerLimits): MemoryLimits => ({
  memoryBytes,
  memorySwapBytes,
});

/** Each field that is not as wanted: `cpuQuotaUs is 10000, was 0`. */
export const limitDifferences = (wanted: Partial<ContainerLimits>, now: ContainerLimits): readonly string[] =>
  (Object.keys(wanted) as (keyof ContainerLimits)[])
    .filter((field) => wanted[field] !== now[field])
    .map((field) => `${field} is ${now[field]}, was ${wanted[field]}`);

const cpuOrder = (wanted: Partial<ContainerLimits>): Readonly<Record<string, number>> => {
  const { cpuQuotaUs, cpuPeriodUs, nanoCpus } = wanted;
  // The engine takes a limit in one form only, and 0 means "leave it".
  if (nanoCpus !== undefined && nanoCpus > 0) return { NanoCpus: nanoCpus };
  return {
    ...(cpuQuotaUs !== undefined && { CpuQuota: cpuQuotaUs === 0 ? -1 : cpuQuotaUs }),
    ...(cpuPeriodUs !== undefined && cpuPeriodUs !== DEFAULT_PERIOD_US && { CpuPeriod: cpuPeriodUs }),
  };
};

const memoryOrder = ({ memoryBytes, memorySwapBytes }: Partial<ContainerLimits>): Readonly<Record<string, number>> => {
  if (memoryBytes === undefined) return {};
  if (memoryBytes > 0) {
    return {
      Memory: memoryBytes,
      ...(memorySwapBytes !== undefined && memorySwapBytes !== 0 && { MemorySwap: memorySwapBytes }),
    };
  }
  throw new EnvironmentError(
    'DOCKER_LIMIT_FOR_GOOD',
    'The Docker engine cannot take a memory limit away again, so none is set where there was none.',
    { hint: 'Give the container a memory limit (mem_limit in its compose file).' },
  );
};

/** The body of an order to the engine. @throws EnvironmentError for what it cannot do. */
export const limitOrder = (wanted: Partial<ContainerLimits>): Readonly<Record<string, number>> => ({
  ...cpuOrder(wanted),
  ...memoryOrder(wanted),
});

/** The command that does the same by hand. */
export const limitCommand = (wanted: Partial<ContainerLimits>, id: string): string => {
  const { Memory, MemorySwap, CpuQuota, CpuPeriod, NanoCpus }: RawLimits = limitOrder(wanted);
  const options = [
    Memory !== undefined && `--memory=${Memory}`,
    MemorySwap !== undefined && `--memory-swap=${MemorySwap}`,
    CpuQuota !== undefined && `--cpu-quota=${CpuQuota}`,
    CpuPeriod !== undefined && `--cpu-period=${CpuPeriod}`,
    NanoCpus !== undefined && `--cpus=${NanoCpus / 1e9}`,
  ].filter((option) => option !== false);
  return `docker update ${options.join(' ')} ${id}`;
};
