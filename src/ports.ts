// Ports that whoever gives them up for a while finds free again: outside the range from which the kernel takes the ports of
// outgoing connections, and claimed for as long as the process lives. The claim is a UDP socket of the same number: only one
// process can have it, and the kernel takes it back when that process ends, however it ends. Whoever is done with a port before
// that gives it back: processes with neighbouring ids begin to draw near each other.
import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const USUAL: PortRange = { first: 12_000, last: 31_999 };
/** Below these are the ports of well-known services. */
const LEAST = 2_000;
const MOST = 65_535;
/** A range with fewer ports is not worth having. */
const ENOUGH = 2_000;
/** Ports between the stretches of two processes with neighbouring ids. */
const STRETCH = 211;

const sizeOf = ({ first, last }: PortRange): number => last - first + 1;

/** The range to draw from, where the kernel draws from `low` to `high`; the usual one where there is nothing outside it. */
export const steadyRange = (low: number, high: number): PortRange => {
  if (low > USUAL.last || high < USUAL.first) return USUAL;
  const below = { first: Math.max(LEAST, low - sizeOf(USUAL)), last: low - 1 };
  if (sizeOf(below) >= ENOUGH) return below;
  const above = { first: high + 1, last: Math.min(MOST, high + sizeOf(USUAL)) };
  return sizeOf(above) >= ENOUGH ? above : USUAL;
};

/** The kernel's range for outgoing connections: Linux tells it; elsewhere it is the one the authorities set aside. */
const outgoingRange = (): readonly [number, number] => {
  try {
    const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number);
    if (low !== undefined && high !== undefined && low <= high) return [low, high];
  } catch {
    // No such file: not Linux, or a sandbox that hides it.
  }
  return [49_152, MOST];
};

/** Draws ports of `range` in turn, for ever, beginning at a place that differs from process to process. */
export const portsOf = function* (range: PortRange, processId: number): Generator<number, never> {
  const size = sizeOf(range);
  for (let step = (processId * STRETCH) % size; ; step = (step + 1) % size) yield range.first + step;
};

const RANGE = steadyRange(...outgoingRange());
const drawn = portsOf(RANGE, process.pid);
const claims = new Map<number, Socket>();
/** What binding fails with where the port is somebody's; anything else would fail for every port. */
const TAKEN: readonly (string | undefined)[] = ['EADDRINUSE', 'EACCES'];

const claim = async (port: number): Promise<boolean> =>
  await new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', (thrown: NodeJS.ErrnoException) => {
      socket.close();
      if (TAKEN.includes(thrown.code)) resolve(false);
      else reject(thrown);
    });
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => {
      socket.unref();
      claims.set(port, socket);
      resolve(true);
    });
  });

/**
 * A port that no other process which asks here is given while this one lives; nobody has looked whether a stranger listens on it.
 * Throws the system's error where none can be claimed, and an Error where all of the range are claimed.
 */
export const claimPort = async (): Promise<number> => {
  for (let left = sizeOf(RANGE); left > 0; left--) {
    const port = drawn.next().value;
    if (await claim(port)) return port;
  }
  throw new Error(`Every port from ${RANGE.first} to ${RANGE.last} is claimed on 127.0.0.1.`);
};

/** Gives claimed ports back, for example once the cluster they were for is gone. */
export const releasePorts = (ports: readonly number[]): void => {
  for (const port of ports) {
    claims.get(port)?.close();
    claims.delete(port);
  }
};
