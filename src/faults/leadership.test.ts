import { expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn } from '../../test/faults/run-on.ts';
import { AbsenceWatch } from './leadership.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';

const never = new AbortController().signal;

modelTest(
  'a broker that was seen to be gone still is where other faults silence all who could tell',
  async ({ target }) => {
    const { processes } = target.can;
    const [victim, ...others] = target.brokers;
    const before = await askAnyMetadata(target.evidenceBootstrap, never, undefined);
    const struck = new Set(others.map(({ node }) => node));
    const amid = { ...contextOn(target), struckByOthers: () => struck };
    const watch = new AbsenceWatch(amid, [victim!], before);
    await processes.kill('broker/1', never);
    const holds = async (asked: AbsenceWatch) => (await asked.sample(never)).map((sample) => sample.holds);
    await expect.poll(async () => await holds(watch)).toEqual([true, true]);
    for (const { node } of others) await processes.kill(node, never);
    expect(await watch.sample(never)).toEqual([
      { kind: 'effect', holds: true, seen: 'nobody is left to ask, and it was shown before' },
    ]);
    expect(await holds(new AbsenceWatch(amid, [victim!], before))).toEqual([false]);
    // Where no other fault is to blame, silence is trouble.
    await expect(new AbsenceWatch(contextOn(target), [victim!], before).sample(never)).rejects.toThrow(
      /No broker answers/,
    );
    for (const { node } of target.brokers) await processes.start(node, never);
  },
);
