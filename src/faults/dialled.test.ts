import { describe, expect, it } from 'vitest';
import type { ContainerControl, ToldAddress } from '../targets/container-control.ts';
import type { StartedTarget } from '../targets/target.ts';
import { refuseOtherWays } from './dialled.ts';

const target = {
  can: {},
  controllers: [{ node: 'controller/1' }, { node: 'controller/2' }],
} as unknown as StartedTarget;
const edge = { from: 'broker/1', to: 'controller/1' };
const peer = { node: 'controller/1', places: [{ host: '10.0.0.1', ports: [9093] }] };
const signal = new AbortController().signal;

const told = (host: string, isAnyController = false): ToldAddress => ({
  written: `${host}:9093`,
  hosts: [host],
  port: 9093,
  isAnyController,
});

const refused = async (...addresses: readonly ToldAddress[]): Promise<void> => {
  const containers = {
    endpoints: async (node: string) =>
      await Promise.resolve([{ networkId: 'n', address: `10.0.0.${node.split('/')[1] ?? ''}` }]),
    listening: async () => await Promise.resolve([9093]),
    toldToDial: async () => await Promise.resolve(addresses),
  } as unknown as ContainerControl;
  await refuseOtherWays(target, containers, edge, peer, signal);
};

describe('where a controller is dialled', () => {
  it('may be a server of the quorum that is another controller', async () => {
    await expect(refused(told('10.0.0.1'), told('10.0.0.1', true), told('10.0.0.2', true))).resolves.toBeUndefined();
  });

  it('may be nothing else than what is cut', async () => {
    await expect(refused(told('10.0.0.1'), told('10.0.0.2'))).rejects.toThrow(
      'Kafka on broker/1 dials controller/1 at 10.0.0.2:9093; what could be cut is 10.0.0.1:9093.',
    );
    await expect(refused(told('10.0.0.1'), told('10.0.0.7', true))).rejects.toThrow(/at 10\.0\.0\.7:9093;/);
    await expect(refused()).rejects.toThrow(/what could be cut is 10\.0\.0\.1:9093/);
  });
});
