// What can be seen of a run from outside, without any of its code: the processes that carry its name, the ports they listen on,
// and the last thing its journal says.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended in between, or it is somebody else's.
    return '';
  }
};

const numbersIn = (directory: string): readonly number[] => {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
};

const isZombie = (pid: number): boolean => /\) [ZX] /.test(read(`/proc/${pid}/stat`));

/** The living processes whose environment or command line names the run: its nodes, its watchdog, and itself. */
export const processesNaming = (runId: string): readonly number[] =>
  numbersIn('/proc').filter((pid) => {
    const words = `${read(`/proc/${pid}/environ`)}\0${read(`/proc/${pid}/cmdline`)}`;
    return pid !== process.pid && words.includes(runId) && !isZombie(pid);
  });

const LISTENING = '0A';

/** Every listening TCP port of this machine, by the inode of its socket. */
const listeners = (): ReadonlyMap<string, number> => {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => read(path).split('\n').slice(1));
  const found = new Map<string, number>();
  for (const row of rows) {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    if (state === LISTENING) found.set(inode, Number.parseInt(local.split(':')[1] ?? '', 16));
  }
  return found;
};

const socketsOf = (pid: number): readonly string[] =>
  numbersIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });

/** The listening sockets of these processes, `port inode`: a port that somebody else takes later has another inode. */
export const listeningSockets = (pids: readonly number[]): ReadonlySet<string> => {
  const all = listeners();
  return new Set(
    pids.flatMap(socketsOf).flatMap((inode) => {
      const port = all.get(inode);
      return port === undefined ? [] : [`${port} ${inode}`];
    }),
  );
};

/** Those of `sockets` that still listen. */
export const stillListening = (sockets: ReadonlySet<string>): readonly string[] => {
  const all = listeners();
  return [...sockets].filter((socket) => all.has(socket.split(' ')[1] ?? ''));
};

/** One edge of a fault journal, as far as the sweep looks at it. */
export interface SeenEdge {
  readonly id: string;
  readonly edge: string;
  readonly by: string;
  readonly wallMs: number;
}

/** The whole lines of a journal that may not be there yet or end in the middle of one. */
export const readEdges = (journal: string): readonly SeenEdge[] =>
  read(journal)
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      try {
        const { id, edge, by, wall } = JSON.parse(line) as { id: string; edge?: string; by: string; wall: string };
        return edge === undefined ? [] : [{ id, edge, by, wallMs: Date.parse(wall) }];
      } catch {
        return [];
      }
    });
