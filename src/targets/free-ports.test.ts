import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePorts } from './free-ports.ts';

/** Does `work` while somebody listens on `port`. */
const whileTaken = async (port: number, work: () => Promise<void>): Promise<void> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  try {
    await work();
  } finally {
    await new Promise<void>((closed) => server.close(() => closed()));
  }
};

describe('free ports', () => {
  it('are different, can be bound, and are not given twice', async () => {
    const ports = [...(await freePorts('127.0.0.1', 12)), ...(await freePorts('127.0.0.1', 12))];
    expect(new Set(ports).size).toBe(24);
    await whileTaken(ports[0] ?? 0, () => Promise.resolve());
  });

  it('pass over a port that is in use', async () => {
    const [taken = 0, other = 0] = await freePorts('127.0.0.1', 2);
    const offered = [taken, other];
    await whileTaken(taken, async () => {
      expect(await freePorts('127.0.0.1', 1, () => Promise.resolve(offered.shift() ?? 0))).toEqual([other]);
    });
  });

  it('are an error that says how many there were, when all are in use', async () => {
    const [taken = 0] = await freePorts('127.0.0.1', 1);
    await whileTaken(taken, async () => {
      const looking = freePorts('127.0.0.1', 2, () => Promise.resolve(taken));
      await expect(looking).rejects.toThrow(/Only 0 of 2 ports are free on 127\.0\.0\.1/);
    });
  });

  it('on an address that this machine does not have are an error', async () => {
    await expect(freePorts('192.0.2.1', 1)).rejects.toThrow(/EADDRNOTAVAIL/);
  });
});
