// What each fault of packets must do on the model cluster: begin, prove itself by the kernel's counters and by what peers told, end,
// and be refused or not believed where either is missing.
import { describe, expect } from 'vitest';
import type { FaultName } from '../../src/vocabulary.ts';
import { modelTest } from './model-test.ts';
import { runOn, runUntil } from './run-on.ts';

/** Tests of one of them. */
export const describePacketFault = (fault: Extract<FaultName, `packet-${string}`>): void => {
  const how = fault.slice('packet-'.length);
  const disturb = { fault, victim: { broker: 2 }, params: { percent: '20%' } };

  describe.concurrent(fault, () => {
    modelTest('disturbs what a broker sends, and takes that away again', async ({ target }) => {
      const { outcome, samples } = await runUntil(target, disturb);
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
      expect(target.cluster.acts).toEqual([`${how} of broker/2`, 'calm broker/2']);
      const seen = samples.filter(({ holds }) => holds).map((sample) => `${sample.kind}: ${sample.seen}`);
      expect(seen.join('\n')).toMatch(/mechanism: broker\/2: 1 interfaces (dropped \d+ of|passed) \d+ packets/u);
      expect(seen.join('\n')).toMatch(/effect: broker\/2: \d+ segments (sent again|told to have come)/u);
    });

    modelTest('is not confirmed where the kernel counts no packet', async ({ target }) => {
      target.cluster.containers.counts = false;
      const { outcome } = await runUntil(target, disturb, { seen: /packets, no more of late/ });
      expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    });

    modelTest('is not confirmed where nothing came of it', async ({ target }) => {
      target.cluster.containers.peersNotice = false;
      const { outcome } = await runUntil(target, disturb, { seen: /: 0 segments / });
      expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    });

    // Red before: one segment that a busy peer made it send again within ten seconds was enough.
    modelTest('is not confirmed by segments that are sent again for another reason', async ({ target }) => {
      Object.assign(target.cluster.containers, { peersNotice: false, resentAnyway: 0.05 });
      const { outcome } = await runOn(target, { ...disturb, duration: '1s', confirm: { timeout: '2s' } });
      expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
      expect(outcome.reason).toMatch(/effect: broker\/2: [\d.]+ segments .*, of about \d+ packets disturbed/u);
    });

    // Red before: only that there was some disturbance was read back.
    modelTest('is not confirmed where another share is in force than was asked for', async ({ target }) => {
      target.cluster.containers.shareInForce = 0.01;
      const { outcome } = await runUntil(target, disturb, { seen: /broker\/2 has \w+ of 1%, not \w+ of 20%/ });
      expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    });

    modelTest('is refused where the kernel has no netem', async ({ target }) => {
      target.cluster.containers.hasNetem = false;
      const { outcome } = await runOn(target, { ...disturb, duration: '1s' });
      expect(outcome.reason).toContain('has no netem (sch_netem)');
      expect(target.cluster.acts).toEqual([]);
    });
  });
};
