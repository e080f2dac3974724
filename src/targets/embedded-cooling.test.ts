import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type CoolableBroker, embeddedCooling } from './embedded-cooling.ts';

const signal = AbortSignal.timeout(20_000);
const servers: Server[] = [];

interface Log {
  readonly state: string;
  readonly unuploadedBytes?: number;
  readonly cachedBytes?: number;
}

/** A broker whose statistics are the next of `readings` after each call for them; `calls` is what it was asked. */
const brokerWith = async (
  readings: readonly Log[],
  flushStatus = 200,
): Promise<{ readonly broker: CoolableBroker; readonly calls: string[] }> => {
  const calls: string[] = [];
  let reading = 0;
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    request.resume();
    if (request.url === '/flush') response.writeHead(flushStatus).end('{}');
    else if (request.url === '/stats') {
      const partitions = [readings[Math.min(reading++, readings.length - 1)]];
      response.end(JSON.stringify({ reads: { cacheBytes: 0, walBytes: 0, objectBytes: 0 }, partitions }));
    } else response.end('{}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return { broker: { node: 'broker/1', admin: { host: '127.0.0.1', port } }, calls };
};

const COLD: Log = { state: 'owner', unuploadedBytes: 0, cachedBytes: 0 };

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('cooling', () => {
  it('uploads before it drops, or what was dropped would be read from the log', async () => {
    const { broker, calls } = await brokerWith([COLD]);
    await embeddedCooling(() => [broker]).cool(signal);
    expect(calls).toEqual(['POST /flush', 'POST /drop-cache', 'GET /stats']);
  });

  it('goes on until the broker itself says that nothing is left', async () => {
    const warm: readonly Log[] = [
      { state: 'owner', unuploadedBytes: 10, cachedBytes: 0 },
      { state: 'owner', unuploadedBytes: 0, cachedBytes: 10 },
      { state: 'recovering' },
      COLD,
    ];
    const { broker, calls } = await brokerWith(warm);
    await embeddedCooling(() => [broker]).cool(signal);
    expect(calls.filter((call) => call === 'GET /stats')).toHaveLength(warm.length);
  });

  it('fails when a broker cannot upload', async () => {
    const { broker } = await brokerWith([COLD], 503);
    await expect(embeddedCooling(() => [broker]).cool(signal)).rejects.toThrow(/\/flush .* answered 503/);
  });

  it('of no broker at all is an error, not success', async () => {
    await expect(embeddedCooling(() => []).cool(signal)).rejects.toThrow(/No broker is running/);
  });
});
