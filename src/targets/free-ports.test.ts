import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FIRST_PORT, freePorts, LAST_PORT } from './free-ports.ts';

describe('free ports', () => {
  it('are different, inside the range, and can be bound', async () => {
    const ports = await freePorts('127.0.0.1', 12);
    expect(new Set(ports).size).toBe(12);
    expect(ports.every((port) => port >= FIRST_PORT && port <= LAST_PORT)).toBe(true);
  });

  it('pass over a port that is in use and wrap at the end of the range', async () => {
    const [taken] = await freePorts('127.0.0.1', 1, LAST_PORT - 50);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', () => resolve()));
    try {
      const ports = await freePorts('127.0.0.1', 60, taken);
      expect(ports).not.toContain(taken);
      expect(Math.min(...ports)).toBeLessThan(FIRST_PORT + 100);
    } finally {
      server.close();
    }
  });

  it('on an address that this machine does not have are an error', async () => {
    await expect(freePorts('192.0.2.1', 1)).rejects.toThrow(/EADDRNOTAVAIL/);
  });
});
