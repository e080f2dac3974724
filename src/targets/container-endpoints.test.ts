import { expect, test } from 'vitest';
import { endpointCommand, endpointDifferences, endpointIn, endpointOf, endpointOrder } from './container-endpoints.ts';

const ID = '9f5532f657398e9ca226141489f01ed23264a75feefed092b662ad7447768f8e';
const raw = {
  NetworkID: 'n1',
  IPAddress: '10.77.0.10',
  MacAddress: '02:42:0a:4d:00:0a',
  Aliases: ['broker-1', '9f5532f65739'],
  IPAMConfig: { IPv4Address: '10.77.0.10', LinkLocalIPs: [] },
  DriverOpts: null,
  Links: null,
};
const was = endpointOf('lab_m1', raw, ID, 1);

test('an endpoint is told without what the engine adds by itself, and made again from that', () => {
  expect(was.aliases).toEqual(['broker-1']);
  expect(endpointOrder(was, false)).toEqual({
    Aliases: ['broker-1'],
    IPAMConfig: { IPv4Address: '10.77.0.10' },
  });
  expect(endpointOrder(was, true)).toMatchObject({ MacAddress: '02:42:0a:4d:00:0a' });
  expect(endpointCommand(was, 'c1')).toBe(
    'docker network disconnect n1 c1; docker network connect --alias broker-1 --ip 10.77.0.10 n1 c1',
  );
});

test('what a bare connect loses is a difference: aliases, the fixed address, the address that came of it', () => {
  const bare = endpointOf(
    'lab_m1',
    { ...raw, IPAddress: '10.77.0.130', Aliases: [ID.slice(0, 12)], IPAMConfig: {} },
    ID,
    1,
  );
  expect(endpointDifferences(was, bare, true)).toEqual([
    'aliases in lab_m1 is none, was broker-1',
    'fixedAddresses in lab_m1 is none, was IPv4Address=10.77.0.10',
    'address in lab_m1 is 10.77.0.130, was 10.77.0.10',
  ]);
  expect(endpointDifferences(was, undefined, true)).toEqual(['it has no endpoint in lab_m1']);
});

test('a container that does not run has no addresses to compare', () => {
  const stopped = endpointOf(
    'lab_m1',
    { ...raw, IPAddress: '', MacAddress: '', Aliases: [...raw.Aliases].reverse() },
    ID,
    1,
  );
  expect(endpointDifferences(was, stopped, false)).toEqual([]);
  expect(endpointDifferences(was, stopped, true)).toHaveLength(2);
});

test('an address that the engine chose is kept for as long as the container runs, and no longer', () => {
  const chosen = { ...was, fixedAddresses: {} };
  const later = { ...chosen, address: '10.77.0.130' };
  expect(endpointDifferences(chosen, later, true)).toHaveLength(1);
  expect(endpointDifferences(chosen, { ...later, sinceMs: 2 }, true)).toEqual([]);
  expect(endpointDifferences(was, { ...was, address: '10.77.0.130', sinceMs: 2 }, true)).toHaveLength(1);
});

test('a place that was given to a container at rest has no id of its network yet, and is told by the name', () => {
  const atRest = endpointOf('lab_m1', { ...raw, NetworkID: '', IPAddress: '', MacAddress: '' }, ID, 2);
  expect(endpointDifferences(was, endpointIn([atRest], was), false)).toEqual([]);
  expect(endpointIn([endpointOf('lab_m2', { ...raw, NetworkID: '' }, ID, 2)], was)).toBeUndefined();
});
