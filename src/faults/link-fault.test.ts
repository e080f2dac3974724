import { expect } from 'vitest';
import { modelTest as test } from '../../test/faults/model-test.ts';
import { contextOn, definitionOf, specOf } from '../../test/faults/run-on.ts';
import type { PreparedFault } from './fault.ts';
import { reachOf } from './undo.ts';

const never = new AbortController().signal;
const ENTRIES = {
  'network-latency': { victim: { broker: 2 }, params: { latency: '1s' } },
  'response-loss': { victim: { broker: 2 } },
} as const;

// Red before: the second one's toxic was missed or found too much, and it counted as not healed.
test.for([
  ['the first one first', ['network-latency', 'response-loss']],
  ['the second one first', ['response-loss', 'network-latency']],
] as const)('two faults of one link are healed each for itself: %s', async ([, order], { target }) => {
  const faults = new Map<string, PreparedFault>();
  const begin = async (kind: keyof typeof ENTRIES): Promise<PreparedFault> => {
    const spec = specOf({ fault: kind, duration: '1m', ...ENTRIES[kind] });
    const fault = await definitionOf(kind).prepare(contextOn(target), spec.victim, spec.params, never);
    await fault.apply(never, () => undefined);
    return fault;
  };
  const link = target.can.links.all.find((each) => each.path === 'client' && each.node === 'broker/2');
  if (link === undefined) throw new Error('no such link');
  const before = await reachOf(target).toxiproxy(link.admin).readBack(link.proxy);
  for (const kind of ['network-latency', 'response-loss'] as const) faults.set(kind, await begin(kind));
  for (const kind of order) {
    const fault = faults.get(kind);
    await fault?.heal(never);
    const seen = (await fault?.observeHealed(never)) ?? [];
    expect(seen.filter((sample) => sample.kind === 'mechanism')).toMatchObject([{ holds: true }]);
  }
  expect(await reachOf(target).toxiproxy(link.admin).readBack(link.proxy)).toEqual(before);
  for (const fault of faults.values()) fault.close?.();
});
