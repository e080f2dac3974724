import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { SWITCH, shell } from '../../test/faults/model-commands.ts';
import type { ModelTarget } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { edgeNames, runOn, runUntil, WHOLE_LIFE } from '../../test/faults/run-on.ts';
import type { StartedTarget, UserCommand } from '../targets/target.ts';
import { commandHealMs, commandInFlightMs } from './command-undo.ts';
import { faultDefinition, faultOn } from './definitions.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

const never = new AbortController().signal;
const switched = { fault: 'command', victim: { broker: 2 }, params: { name: 'switch' } };

/** The model with its command changed. */
const withCommand = (target: ModelTarget, changed: Partial<UserCommand>, name = 'switch'): StartedTarget => {
  const { folder } = target.can.commands;
  return { ...target, can: { ...target.can, commands: { folder, named: { [name]: { ...SWITCH, ...changed } } } } };
};

const textOf = (seen: { readonly samples: readonly { readonly seen: string }[] }): string =>
  seen.samples.map((sample) => sample.seen).join('\n');

describe.concurrent('command', () => {
  modelTest('breaks each victim by words of its own, and what confirm says is the evidence', async ({ target }) => {
    const during: string[] = [];
    const seen = await runUntil(
      target,
      { ...switched, victim: { all: true }, allow: ['full-outage'] },
      { first: async () => void during.push(...(await Promise.resolve(readdirSync(target.can.commands.folder)))) },
    );
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
    expect(during.sort()).toEqual(['down-1', 'down-2', 'down-3']);
    const [first] = target.brokers;
    expect(textOf(seen)).toContain(
      `confirm of switch on broker/1 ended with 0: broker 1 at 127.0.0.1:${first?.advertised.port ?? 0} is off`,
    );
    expect(seen.outcome.chosen).toBe('every broker, by the command switch');
    expect(readdirSync(target.can.commands.folder)).toEqual([]);
  });

  modelTest('is done to every broker only where the scenario allows that', async ({ target }) => {
    const unsaid = { fault: 'command', params: switched.params };
    const seen = await runOn(target, { ...unsaid, duration: '1s' });
    expect(seen.outcome.reason).toContain('switch would be done to every broker of the cluster at once.');
    const kill = faultOn('process-kill', withCommand(target, {}, 'process-kill').can.commands);
    const all = await runOn(
      withCommand(target, {}, 'process-kill'),
      { fault: 'process-kill', victim: { random: 3 }, duration: '1s' },
      kill === undefined ? {} : { definition: kill },
    );
    expect(all.outcome.reason).toContain('process-kill would be done to every broker of the cluster at once.');
    expect(readdirSync(target.can.commands.folder)).toEqual([]);
  });

  modelTest('is run once for all victims where its words name none of them', async ({ target }) => {
    const once = {
      inject: shell('echo "$ACKPROOF_FAULT $ACKPROOF_BROKERS $ACKPROOF_PARAMS" >> log; touch down'),
      confirm: shell('test -e down && cat log'),
      heal: ['rm', '-f', 'down'],
      healed: shell('! test -e down'),
    };
    const seen = await runUntil(withCommand(target, once), { ...switched, victim: { random: 2 } });
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
    expect(readFileSync(join(target.can.commands.folder, 'log'), 'utf8')).toMatch(/^command [123] [123] \{\}\n$/);
  });

  modelTest(
    'is not confirmed by a program that ends well and says nothing, nor by one that ends otherwise',
    async ({ target }) => {
      const patient = { ...switched, duration: '1m', confirm: { timeout: '1500ms' } };
      const aborting = (): AbortSignal => AbortSignal.timeout(2500);
      const silent = await runOn(withCommand(target, { confirm: ['true'] }), patient, { signal: aborting() });
      expect(silent.outcome).toMatchObject({ confirmed: false, healed: 'healed' });
      expect(silent.outcome.reason).toContain('confirm of switch on broker/2 ended with 0 and said nothing');
      const unwell = { confirm: shell('echo up; echo it serves >&2; exit 3') };
      const other = await runOn(withCommand(target, unwell), patient, { signal: aborting() });
      expect(other.outcome.confirmed).toBe(false);
      expect(other.outcome.reason).toContain('confirm of switch on broker/2 ended with 3: up / it serves');
      expect(readdirSync(target.can.commands.folder)).toEqual([]);
    },
  );

  // Red before: a program that always says yes confirmed a fault that did nothing.
  modelTest('is not made where its proof already holds before', async ({ target }) => {
    const seen = await runOn(withCommand(target, { inject: ['true'], confirm: ['echo', 'down'] }), {
      ...switched,
      duration: '300ms',
    });
    expect(edgeNames(seen)).toEqual(['unconfirmed']);
    expect(seen.outcome.reason).toContain(
      'Before anything was broken the confirm of switch on broker/2 ended with 0: down',
    );
  });

  modelTest(
    'is healed also where the program that breaks fails, for who knows what it has done',
    async ({ target }) => {
      const failing = { inject: shell('touch down-2; echo no rights >&2; exit 1') };
      const seen = await runOn(withCommand(target, failing), { ...switched, duration: '1m' });
      expect(edgeNames(seen)).toEqual(['intent', 'applied', 'unconfirmed', 'healing', 'healed']);
      expect(seen.outcome.reason).toContain('The inject of switch on broker/2 ended with 1: no rights.');
      expect(readdirSync(target.can.commands.folder)).toEqual([]);
    },
  );

  modelTest('has not healed as long as healed does not say so', async ({ target }) => {
    const stuck = { heal: shell('echo cannot reach it >&2; exit 5') };
    const seen = await runOn(withCommand(target, stuck), { ...switched, duration: '300ms', heal: { timeout: '2s' } });
    expect(edgeNames(seen).slice(-1)).toEqual(['heal-failed']);
    expect(seen.outcome.reason).toContain('The heal of switch on broker/2 ended with 5: cannot reach it.');
  });

  modelTest(
    'is put back by a process that has nothing but the record, in which secrets are only named',
    async ({ target }) => {
      vi.stubEnv('ACKPROOF_TEST_SWITCH', 'planted-switch-77aa');
      const secret = {
        env: { TOKEN: { env: 'ACKPROOF_TEST_SWITCH' } },
        heal: shell('test -n "$TOKEN" && rm -f down-2'),
      };
      const seen = await runUntil(withCommand(target, secret), switched);
      const undo = seen.edges.find(({ edge }) => edge === 'intent')?.undo;
      const record = JSON.parse(JSON.stringify(undo)) as NonNullable<typeof undo>;
      expect(JSON.stringify(seen.edges)).not.toContain('planted-switch');
      expect([commandHealMs(record), commandInFlightMs(record)]).toEqual([10_000, 10_000]);
      const { folder } = target.can.commands;
      writeFileSync(join(folder, 'down-2'), '');
      expect(await leftOf(record, freshReach())).toEqual([
        {
          what: 'healed of switch on broker/2 ended with 1',
          byHand: `cd ${folder} && /bin/sh -c 'test -n "$TOKEN" && rm -f down-2' sh`,
        },
      ]);
      expect(await performUndo([record], freshReach(), never)).toEqual([]);
      expect(await leftOf(record, freshReach())).toEqual([]);
    },
  );

  // Red before: what the program said was the effect as well, of a broker that went on serving.
  modelTest('of a name under which victims fall silent is not confirmed while they answer', async ({ target }) => {
    const other = withCommand(target, {}, 'process-kill');
    const definition = faultOn('process-kill', other.can.commands)!;
    const kill = { fault: 'process-kill', victim: { broker: 2 }, duration: '300ms', confirm: { timeout: '1s' } };
    const seen = await runOn(other, kill, { definition });
    expect(seen.outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(seen.outcome.reason).toMatch(/effect: new connection to broker\/2: ok/);
  });

  // Red before: what the program said was its own control.
  modelTest('is out of scope where a broker that is no victim does not answer either', async ({ target }) => {
    const { outcome } = await runUntil(
      target,
      switched,
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') void target.cluster.control.kill('broker/3', never);
          if (edge === 'healing') void target.cluster.control.start('broker/3', never);
        },
      },
    );
    expect(outcome.reason).toMatch(/scope: broker\/3 directly: refused/);
  });

  // Red before: its `healed` was never seen to say no, and so a fault that was not put back was told healed.
  modelTest(
    'is neither confirmed nor healed by the word of a healed that says yes amid the fault',
    async ({ target }) => {
      const yes = withCommand(target, { healed: ['true'], heal: ['true'] });
      const seen = await runOn(yes, {
        ...switched,
        duration: '300ms',
        confirm: { timeout: '1s' },
        heal: { timeout: '1s' },
      });
      expect(edgeNames(seen)).toEqual(['intent', 'applied', 'unconfirmed', 'healing', 'heal-failed']);
      expect(textOf(seen)).toContain('healed of switch on broker/2 ended with 0 while the fault acted');
      expect(seen.outcome.reason).toContain('healed of switch on broker/2 ended with 0 while the fault acted');
    },
  );

  // Red before: by the word of `healed` alone, which says yes, the broker that stayed frozen was told healed.
  modelTest('of a name under which victims fall silent is not healed before they answer', async ({ target }) => {
    const other = withCommand(target, {}, 'process-pause');
    const definition = faultOn('process-pause', other.can.commands)!;
    const pause = { fault: 'process-pause', victim: { broker: 2 }, duration: '1s', heal: { timeout: '1s' } };
    const onEdge = ({ edge }: { readonly edge: string }): void => {
      if (edge === 'applied') void target.cluster.control.pause('broker/2', never);
    };
    const seen = await runOn(other, pause, { definition, onEdge });
    expect(seen.outcome).toMatchObject({ confirmed: true, healed: 'heal-failed' });
    expect(seen.outcome.reason).toMatch(/broker\/2: (timeout|no answer)/);
    await target.cluster.control.resume('broker/2', never);
  });

  // Red before: the time it takes to say so was not counted, and the rounds within the time for healing were too few.
  modelTest('has the time that its healed takes to say so, round after round', async ({ target }) => {
    const slow = { healed: shell('sleep 1.2; ! test -e down-$1', '{broker}'), timeoutMs: 1500 };
    const seen = await runOn(withCommand(target, slow), { ...switched, duration: '300ms', heal: { timeout: '1s' } });
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });

  // Red before: the second one's program was ended in the middle, and the fault was half healed.
  modelTest('has the time that programs take to put all victims back, one after the other', async ({ target }) => {
    const slow = { heal: shell('sleep 1.2; rm -f down-$1', '{broker}') };
    const two = { ...switched, victim: { random: 2 }, duration: '300ms', heal: { timeout: '2s' } };
    const seen = await runOn(withCommand(target, slow), two);
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });

  // Red before: no look was complete within the time to confirm.
  modelTest('has the time that its proof takes, as it took before', async ({ target }) => {
    const slow = { confirm: shell('sleep 1.2; cat down-$1', '{broker}') };
    const two = { ...switched, victim: { random: 2 }, duration: '100ms', confirm: { timeout: '1s' } };
    const seen = await runOn(withCommand(target, slow), two);
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });

  modelTest('that the target file does not have is told with those it has', async ({ target }) => {
    const seen = await runOn(target, { ...switched, duration: '1s', params: { name: 'swich' } });
    expect(seen.outcome.reason).toContain('The target file has no command "swich". Did you mean "switch"?');
  });

  modelTest('performs another fault under that one’s name, with its victim and its parameters', async ({ target }) => {
    const kill = { fault: 'process-kill', victim: { leaderOf: 'orders/1' } };
    const told = { inject: shell('echo "$ACKPROOF_FAULT $ACKPROOF_PARAMS" > down-$1', '{broker}') };
    const other = withCommand(target, told, 'process-kill');
    const definition = faultOn('process-kill', other.can.commands);
    if (definition === undefined) throw new Error('no such fault');
    const enough = new AbortController();
    const seen = await runOn(
      { ...other, can: { ...other.can, processes: undefined as never } },
      { ...kill, duration: '1m', confirm: { timeout: '60s' }, heal: { timeout: '60s' } },
      {
        definition,
        signal: enough.signal,
        onEdge: ({ edge }) => {
          if (edge === 'applied') void target.cluster.control.kill('broker/2', never);
          if (edge === 'confirmed') enough.abort();
          if (edge === 'healing') void target.cluster.control.start('broker/2', never);
        },
      },
    );
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
    expect(seen.outcome.chosen).toMatch(/the leader of orders\/1 in epoch \d+, by the command process-kill$/);
    expect(textOf(seen)).toContain('process-kill {}');
    expect(textOf(seen)).toContain('metadata names no broker 2');
    expect(faultOn('process-kill', target.can.commands)).toBe(faultDefinition('process-kill'));
  });
});
