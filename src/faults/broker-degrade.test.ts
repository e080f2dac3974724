import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil, specOf } from '../../test/faults/run-on.ts';

const victim = { broker: 2 };
const small = { settings: { 'message.max.bytes': '2000' } };

describe.concurrent('broker-degrade', () => {
  modelTest('lowers the largest batch of one broker, which peers still take', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'broker-degrade', victim, params: small });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
    expect(target.cluster.acts).toEqual([
      'set message.max.bytes of broker/2 to 2000',
      'set message.max.bytes of broker/2 to nothing',
    ]);
    const seen = samples.map((sample) => sample.seen).join('\n');
    expect(seen).toContain('broker/2 has message.max.bytes=2000');
    expect(seen).toMatch(/a record of 2001 bytes to broker\/2: kafka:10/);
    expect(seen).toMatch(/a record of 2001 bytes to broker\/1: ok/);
    expect(seen).toContain('broker/3 has the settings of before');
  });

  modelTest('puts back what was set on the broker before', async ({ target }) => {
    target.cluster.administration.settings.set('2 message.max.bytes', '60000');
    const { outcome } = await runUntil(target, { fault: 'broker-degrade', victim, params: small });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect([...target.cluster.administration.settings]).toEqual([['2 message.max.bytes', '60000']]);
  });

  modelTest('makes new connections wait', async ({ target }) => {
    const params = { settings: { 'max.connection.creation.rate': '2' } };
    const { outcome, samples } = await runUntil(target, { fault: 'broker-degrade', victim, params });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.map(({ seen }) => seen).join('\n')).toMatch(/new connections to broker\/2 had to wait/);
  });

  modelTest('says that nobody feels fewer threads, and is enough where the mechanism is', async ({ target }) => {
    const params = { settings: { 'num.io.threads': '4' } };
    const unfelt = /no canary can feel num\.io\.threads/;
    const fault = { fault: 'broker-degrade', victim, params, duration: '600ms' };
    const { outcome } = await runOn(target, { ...fault, confirm: { timeout: '1s' } });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(unfelt);
    const { outcome: enough } = await runOn(target, { ...fault, confirm: { timeout: '5s', require: 'mechanism' } });
    expect(enough).toMatchObject({ confirmed: true, healed: 'healed' });
  });

  modelTest('is not confirmed when somebody else sets it back', async ({ target }) => {
    const { outcome } = await runUntil(
      target,
      { fault: 'broker-degrade', victim, params: small },
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') target.cluster.administration.settings.clear();
        },
      },
    );
    expect(outcome.reason).toMatch(/ended-early: broker\/2 still has message\.max\.bytes=1048588/);
  });

  // Red before: what was there five seconds earlier was put back over it.
  modelTest(
    'is not made, and puts nothing back, where somebody else has changed a setting meanwhile',
    async ({ target }) => {
      const { settings } = target.cluster.administration;
      const ready = async (): Promise<undefined> => {
        settings.set('2 message.max.bytes', '70000');
        return await Promise.resolve(undefined);
      };
      const { outcome } = await runOn(
        target,
        { fault: 'broker-degrade', victim, params: small, duration: '1s' },
        { ready },
      );
      expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
      expect(outcome.reason).toContain('Somebody else has changed message.max.bytes of broker/2');
      expect([target.cluster.acts, [...settings]]).toEqual([[], [['2 message.max.bytes', '70000']]]);
    },
  );

  modelTest('refuses to leave no broker to compare with', async ({ target }) => {
    const fault = { fault: 'broker-degrade', victim: { random: 3 }, params: small, duration: '1s' };
    const { outcome } = await runOn(target, fault);
    expect(outcome.reason).toContain('none be left to compare with');
    expect(target.cluster.acts).toEqual([]);
  });

  modelTest('takes only settings of its list, as Kafka writes them', () => {
    const parse = (settings: Readonly<Record<string, unknown>>) => () =>
      specOf({ fault: 'broker-degrade', victim, duration: '1s', params: { settings } });
    expect(parse({ 'log.retention.ms': '1' })).toThrow(/log\.retention\.ms/);
    expect(parse({ 'message.max.bytes': 2000 })).toThrow(/in quotes/);
    expect(parse({ 'message.max.bytes': '5' })).toThrow(/from 200 to/);
    expect(parse({})).toThrow(/at least one setting/);
  });
});
