import { describe, expect, it } from 'vitest';
import { refuseBypass } from './served-addresses.ts';

const at = (port: number) => ({ host: '127.0.0.1', port });

describe('advertised addresses', () => {
  it('that are all proxies are accepted, in whatever order', async () => {
    const brokers = [
      { id: 2, address: at(2) },
      { id: 1, address: at(1) },
    ];
    await expect(refuseBypass(brokers, [at(1), at(2), at(3)])).resolves.toBeUndefined();
  });

  it('of which one is no proxy are refused by name', async () => {
    const brokers = [
      { id: 1, address: at(1) },
      { id: 2, address: at(9092) },
    ];
    await expect(refuseBypass(brokers, [at(1), at(2)])).rejects.toThrow(
      /Broker 2 tells its clients to use 127\.0\.0\.1:9092/u,
    );
  });

  it('with another name for the same host are refused, because clients dial the name', async () => {
    const brokers = [{ id: 1, address: { host: 'localhost', port: 1 } }];
    await expect(refuseBypass(brokers, [at(1)])).rejects.toThrow(/localhost:1, which leads to none of/u);
  });
});
