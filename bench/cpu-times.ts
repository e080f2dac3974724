// CPU time of this process and of each kind of program it has started, as Linux counts it. Elsewhere there is nothing to read
// and the table is empty.
import { readdirSync, readFileSync } from 'node:fs';

/** Kind of process → seconds of CPU since its start. */
export type CpuTimes = ReadonlyMap<string, number>;

const TICKS_PER_SECOND = 100;
const HARNESS = 'harness';

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it has ended, or there is no /proc
  }
};

/** `broker`, `object-store` …: the program's file without its ending; proxies by the path they serve. */
const kindOf = (commandLine: string): string => {
  const program = /embedded\/[a-z-]+\/([a-z-]+)-program\.js/.exec(commandLine)?.[1] ?? 'other';
  const path =
    program === 'link-proxy' ? /"name":"(client|controller|s3-data|s3-wal|wal)-/.exec(commandLine)?.[1] : undefined;
  return path === undefined ? program : `proxy ${path}`;
};

export const cpuTimes = (): CpuTimes => {
  const times = new Map<string, number>();
  if (process.platform !== 'linux') return times;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readText(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isOurs = Number(pid) === process.pid;
    if (!isOurs && Number(fields[1]) !== process.pid) continue;
    const kind = isOurs ? HARNESS : kindOf(readText(`/proc/${pid}/cmdline`));
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    times.set(kind, (times.get(kind) ?? 0) + seconds);
  }
  return times;
};

/** What each kind used between two readings, in CPUs, most first. */
export const cpusBetween = (
  before: CpuTimes,
  after: CpuTimes,
  seconds: number,
): readonly (readonly [kind: string, cpus: number])[] =>
  [...after]
    .map(([kind, used]) => [kind, (used - (before.get(kind) ?? 0)) / seconds] as const)
    .sort((one, other) => other[1] - one[1]);
