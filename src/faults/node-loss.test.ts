import { describe, expect } from 'vitest';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn, definitionOf, runOn, runUntil, specOf } from '../../test/faults/run-on.ts';
import type { JournalEdge } from './fault.ts';
import { faultSchema } from './fault-schema.ts';

const never = new AbortController().signal;
const lose = { fault: 'node-loss', victim: { broker: 2 }, allow: ['destroy-state'] };

/** The model with one replica of each partition, as far as its brokers tell. */
const withoutCopies = (target: ModelTarget): void => {
  target.cluster.inSyncOf = ({ leader }) => [leader];
};

describe.concurrent('node-loss', () => {
  modelTest('kills the broker, puts an empty disk in the place of its own, and starts it again', async ({ target }) => {
    const before = await target.can.disks.look('broker/2');
    const { outcome, samples } = await runUntil(target, lose);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
    expect(target.cluster.acts).toEqual(['kill broker/2', 'start broker/2']);
    const after = await target.can.disks.look('broker/2');
    expect(after.directory).not.toBe(before.directory);
    expect(after.directoryId).not.toBe(before.directoryId);
    const seen = samples.filter(({ holds }) => holds).map((sample) => `${sample.kind}: ${sample.seen}`);
    expect(seen).toContain('mechanism: the data directory of broker/2 is another one, and empty');
    expect(seen).toContain('control: 2 other data directories are the same');
  });

  modelTest('tells how much came back, and how long that took', async ({ target }) => {
    const { edges } = await runUntil(target, lose);
    const told = edges.at(-1)?.evidence?.map(({ seen }) => seen) ?? [];
    expect(told.join('; ')).toMatch(/broker\/2 has 5\.86KiB in 6 partitions again, [\d.]+m?s after its start began/);
  });

  modelTest(
    'has the broker lead again what it led, and tells when it was of use, where that is asked for',
    async ({ target }) => {
      const { outcome } = await runUntil(target, { ...lose, params: { handBack: true } });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(target.cluster.acts.slice(2)).toEqual(['elect 2 in orders-real/1', 'elect 2 in orders-real/4']);
      expect(outcome.capacities).toMatchObject([{ node: 'broker/2', partitions: 2 }]);
      expect(outcome.capacities?.[0]?.steps.at(-1)?.step).toBe('full-share');
    },
  );

  // Red before: of several brokers only the first was told.
  modelTest('tells of each of several brokers when it was of use', async ({ target }) => {
    const { outcome } = await runUntil(target, { ...lose, victim: { random: 2 }, params: { handBack: true } });
    expect(outcome.healed).toBe('healed');
    expect(outcome.capacities?.map(({ node, steps }) => [node, steps.at(-1)?.step])).toEqual(
      outcome.victims.map((node) => [node, 'full-share']),
    );
  });

  modelTest('keeps what the directory calls itself where that is asked for', async ({ target }) => {
    const before = await target.can.disks.look('broker/2');
    const { outcome } = await runUntil(target, { ...lose, params: { directoryId: 'kept' } });
    expect(outcome.confirmed).toBe(true);
    const after = await target.can.disks.look('broker/2');
    expect(after.directoryId).toBe(before.directoryId);
    expect(after.directory).not.toBe(before.directory);
  });

  modelTest('is not confirmed where another disk changed, too', async ({ target }) => {
    const { disks } = target.can;
    const both = async (node: string): Promise<void> => {
      await disks.replace(node, 'new');
      await disks.replace('broker/1', 'new');
    };
    const loose = { nodes: disks.nodes, look: disks.look.bind(disks), replace: both };
    const wide = { ...target, can: { ...target.can, disks: loose } };
    const { outcome } = await runUntil(wide, lose, { seen: /broker\/1 has another data directory, too/ });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.healed).toBe('healed');
  });

  modelTest('refuses to take the last copy in sync, unless that is allowed', async ({ target }) => {
    withoutCopies(target);
    const { outcome } = await runOn(target, { ...lose, duration: '1s' });
    expect(outcome.reason).toContain('would take the only copy in sync of orders-real/1, orders-real/4');
    expect(target.cluster.acts).toEqual([]);
    const allowed = await runUntil(target, { ...lose, allow: ['destroy-state', 'lose-records'] });
    expect(allowed.outcome.confirmed).toBe(true);
  });

  // Red before: who is in sync was asked five seconds earlier, and the last copy was wiped.
  modelTest('refuses it as well where only the victim is left in sync by its moment', async ({ target }) => {
    const ready = async (): Promise<undefined> => {
      withoutCopies(target);
      return await Promise.resolve(undefined);
    };
    const inSyncAgain = ({ edge }: JournalEdge): void => {
      if (edge === 'unconfirmed') delete target.cluster.inSyncOf;
    };
    const { outcome } = await runOn(target, { ...lose, duration: '1s' }, { ready, onEdge: inSyncAgain });
    expect(outcome.reason).toContain('would take the only copy in sync of orders-real/1, orders-real/4');
    expect(target.cluster.acts).not.toContain('kill broker/2');
  });

  modelTest('refuses a target that was not made for the run', async ({ target }) => {
    const spec = specOf({ ...lose, duration: '1s' });
    const shared = { ...target, ephemeral: false };
    const preparing = definitionOf('node-loss').prepare(contextOn(shared), spec.victim, spec.params, never);
    await expect(preparing).rejects.toMatchObject({ code: 'FAULT_NOT_EPHEMERAL' });
  });

  modelTest('needs its permission, and knows of one more', () => {
    const problems = (allow: readonly string[]): string =>
      faultSchema
        .safeParse({ ...lose, allow, at: '1s', duration: '1s' })
        .error?.issues.map((issue) => issue.message)
        .join() ?? '';
    expect(problems([])).toMatch(/node-loss needs "allow: \[destroy-state\]"/);
    expect(problems(['destroy-state'])).toBe('');
    expect(problems(['destroy-state', 'lose-records'])).toBe('');
    expect(problems(['destroy-state', 'full-outage'])).toBe(
      '"full-outage" is not allowed here. Known: destroy-state, lose-records.',
    );
  });
});
