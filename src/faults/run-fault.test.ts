import { describe, expect, it } from 'vitest';
import { edgeNames, type MemoryJournal, memoryJournal, specOf, WHOLE_LIFE } from '../../test/faults/run-on.ts';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { randomStream } from '../random.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { Begun, EvidenceSample, FaultDefinition, JournalEdge, PreparedFault } from './fault.ts';
import type { FaultOutcome, FaultRun } from './fault-run.ts';
import { processKill } from './process-kill.ts';
import { runFault } from './run-fault.ts';

const sample = (kind: EvidenceSample['kind'], holds: boolean): EvidenceSample => ({
  kind,
  holds,
  seen: `${kind} ${holds}`,
});

/** A fault on a virtual clock whose evidence a test decides; it remembers what was done to it. */
class Scripted {
  readonly clock = new VirtualClock();
  readonly journal: MemoryJournal = memoryJournal();
  readonly done: string[] = [];
  readonly aborting = new AbortController();
  evidence: (sinceMs: number) => { m?: boolean; e?: boolean; c?: boolean } = () => ({});
  healed: (sinceMs: number) => boolean = () => true;
  applyMs = 50;
  apply: (begun: Begun) => Promise<void> = async () => await this.clock.sleep(this.applyMs);
  heal: () => Promise<void> = async () => await this.clock.sleep(20);
  #appliedAt = Infinity;
  #healedAt = 0;

  readonly prepared: PreparedFault = {
    victims: ['broker/1'],
    brokers: [1],
    chosen: 'by the test',
    undo: { fault: 'process-kill', steps: [{ do: 'start-node', node: 'broker/1' }] },
    apply: async (_signal, begun) => {
      this.done.push('apply');
      await this.apply(begun);
      this.#appliedAt = this.clock.now();
      return { answer: 'done' };
    },
    observe: async () => {
      const { m = true, e = true, c = true } = this.evidence(this.clock.now() - this.#appliedAt);
      return await Promise.resolve([sample('mechanism', m), sample('effect', e), sample('control', c)]);
    },
    heal: async () => {
      this.done.push('heal');
      await this.heal();
      this.#healedAt = this.clock.now();
    },
    observeHealed: async () =>
      await Promise.resolve([sample('effect', this.healed(this.clock.now() - this.#healedAt))]),
    close: () => {
      this.done.push('close');
    },
  };

  async run(written: Record<string, unknown> = {}, more: Partial<FaultRun> = {}): Promise<FaultOutcome> {
    const definition: FaultDefinition = { ...processKill, prepare: async () => await Promise.resolve(this.prepared) };
    const spec = specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '10s', ...written });
    return await this.clock.run(
      runFault({
        id: 'process-kill-1',
        definition,
        spec,
        context: { target: {} as StartedTarget, runId: 'r', topicName: (alias) => alias },
        random: () => randomStream(1, 'x'),
        journal: this.journal,
        clock: this.clock,
        originMs: this.clock.now(),
        signal: this.aborting.signal,
        ...more,
      }),
    );
  }

  get edges(): readonly string[] {
    return edgeNames(this.journal);
  }
}

describe('the life of a fault', () => {
  it('goes from a durable intent over confirmation to a proved healing, and holds for its duration', async () => {
    const fault = new Scripted();
    const outcome = await fault.run();
    expect(fault.edges).toEqual(WHOLE_LIFE);
    expect(fault.done).toEqual(['apply', 'heal', 'close']);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', appliedAt: 50 });
    const healing = fault.journal.edges.find((edge) => edge.edge === 'healing');
    expect(healing?.at).toBe(10_050);
    expect(outcome.window?.toMs).toBeGreaterThan(9_500);
  });

  it('writes the undo and the expiry with the intent, before it acts', async () => {
    const fault = new Scripted();
    fault.apply = async () => {
      expect(fault.edges).toEqual(['intent']);
      await Promise.resolve();
    };
    await fault.run();
    const [intent] = fault.journal.edges;
    expect(intent?.undo).toEqual(fault.prepared.undo);
    expect((intent?.expires ?? 0) - fault.clock.wall()).toBeGreaterThan(30_000);
  });

  it.each([
    ['mechanism', { m: false }],
    ['effect', { e: false }],
    ['scope: control', { c: false }],
  ])('is unconfirmed while %s does not hold, and is healed all the same', async (reason, evidence) => {
    const fault = new Scripted();
    fault.evidence = () => evidence;
    const outcome = await fault.run();
    expect(fault.edges).toEqual(['intent', 'applied', 'unconfirmed', 'healing', 'healed']);
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain(reason);
  });

  it('does not accept three kinds that hold one after the other', async () => {
    const fault = new Scripted();
    fault.evidence = (since) => {
      const turn = Math.floor(since / 250) % 3;
      return { m: turn === 0, e: turn === 1, c: turn === 2 };
    };
    expect((await fault.run()).confirmed).toBe(false);
  });

  it('does not count evidence from before it was applied', async () => {
    const fault = new Scripted();
    fault.applyMs = 3000;
    fault.evidence = (since) => ({ m: since < 0 });
    expect((await fault.run()).confirmed).toBe(false);
  });

  // Red before: a roll was `applied` when it was over, and nothing that it did to the load was measured.
  it('is applied with its first change, while its evidence and its duration count from its last', async () => {
    const fault = new Scripted();
    fault.apply = async (begun) => {
      begun('stopped the first');
      begun('stopped the second');
      await fault.clock.sleep(3000);
    };
    fault.evidence = (since) => ({ m: since > 0, e: since !== 0 });
    const outcome = await fault.run({ duration: '2s' });
    expect(fault.edges).toEqual(WHOLE_LIFE);
    expect(outcome).toMatchObject({ confirmed: true, appliedAt: 0 });
    expect(fault.journal.edges[1]).toMatchObject({ at: 0, reason: 'stopped the first' });
    expect(fault.journal.edges.find(({ edge }) => edge === 'healing')?.at).toBe(5000);
    expect(outcome.window?.fromMs).toBeGreaterThan(3000);
  });

  it('is unconfirmed when only a part of it could be applied', async () => {
    const fault = new Scripted();
    fault.apply = async (begun) => {
      begun('stopped the first');
      await fault.clock.sleep(1000);
      throw new Error('the second does not stop');
    };
    const outcome = await fault.run({ confirm: { require: 'mechanism' } });
    expect(fault.edges).toEqual(['intent', 'applied', 'unconfirmed', 'healing', 'healed']);
    expect(outcome).toMatchObject({ confirmed: false, reason: 'not applied: the second does not stop' });
  });

  it('is not applied any more once it was given up', async () => {
    const fault = new Scripted();
    fault.apply = async (begun) => {
      await fault.clock.sleep(2500);
      begun('too late');
    };
    void fault.clock.sleep(100).then(() => fault.aborting.abort(new Error('enough')));
    await fault.run();
    expect(fault.edges).toEqual(['intent', 'unconfirmed', 'healing', 'healed']);
  });

  it('is unconfirmed again when its evidence vanishes before the planned end', async () => {
    const fault = new Scripted();
    fault.evidence = (since) => ({ e: since < 4000 });
    const outcome = await fault.run();
    expect(fault.edges).toEqual(['intent', 'applied', 'confirmed', 'unconfirmed', 'healing', 'healed']);
    expect(outcome).toMatchObject({ confirmed: false });
    expect(outcome.reason).toContain('ended-early');
    expect(outcome.window?.toMs).toBeLessThan(4_100);
  });

  it('survives one bad round, which on a busy machine proves nothing', async () => {
    const fault = new Scripted();
    let rounds = 0;
    fault.evidence = () => ({ e: ++rounds !== 8 });
    expect((await fault.run()).confirmed).toBe(true);
  });

  it('is enough by its mechanism where the scenario says so', async () => {
    const fault = new Scripted();
    fault.evidence = () => ({ e: false });
    const outcome = await fault.run({ confirm: { require: 'mechanism', timeout: '2s' } });
    expect(outcome.confirmed).toBe(true);
    expect(outcome).not.toHaveProperty('reason');
    expect(fault.edges).toContain('unconfirmed');
  });

  it('is not enough by its mechanism when that vanishes', async () => {
    const fault = new Scripted();
    fault.evidence = (since) => ({ m: since < 3000, e: false });
    const outcome = await fault.run({ confirm: { require: 'mechanism', timeout: '2s' } });
    expect(outcome).toMatchObject({ confirmed: false, reason: 'ended-early: mechanism false' });
  });

  it('lasts longer than planned until it is confirmed, and says so, so that a slow machine proves as much as a fast one', async () => {
    const fault = new Scripted();
    fault.evidence = (since) => ({ e: since > 3900 });
    const outcome = await fault.run({ duration: '2s' });
    expect(fault.edges).toEqual(WHOLE_LIFE);
    expect(outcome.confirmed).toBe(true);
    const healing = fault.journal.edges.find((edge) => edge.edge === 'healing');
    expect(healing?.at).toBe(4000);
    expect(healing?.reason).toBe('held 1950 ms beyond its planned end: effect: effect false');
  });

  it('is not held beyond the time in which it was to be confirmed', async () => {
    const fault = new Scripted();
    fault.evidence = () => ({ e: false });
    expect((await fault.run({ duration: '2s' })).confirmed).toBe(false);
    expect(fault.journal.edges.find((edge) => edge.edge === 'healing')?.at).toBe(5050);
  });

  it('is not held beyond its planned end when what it needs was seen, or has gone again', async () => {
    const healingAt = async (written: Record<string, unknown>, evidence: Scripted['evidence']) => {
      const fault = new Scripted();
      fault.evidence = evidence;
      await fault.run({ duration: '2s', ...written });
      return fault.journal.edges.find((edge) => edge.edge === 'healing');
    };
    const byMechanism = { confirm: { require: 'mechanism', timeout: '5s' } };
    expect(await healingAt({}, () => ({}))).toMatchObject({ at: 2050 });
    expect(await healingAt(byMechanism, () => ({ e: false }))).toMatchObject({ at: 2050 });
    const gone = await healingAt({}, (since) => ({ m: since < 1000 }));
    expect(gone).toMatchObject({ at: 2050 });
    expect(gone).not.toHaveProperty('reason');
  });

  it('is held for what the run still waits for, too', async () => {
    const fault = new Scripted();
    const awaited = () => (fault.clock.now() < 3000 ? 'nothing was attempted in partition 3' : undefined);
    await fault.run({ duration: '2s' }, { awaited });
    const healing = fault.journal.edges.find((edge) => edge.edge === 'healing');
    expect(healing).toMatchObject({ at: 3000 });
    expect(healing?.reason).toContain('nothing was attempted in partition 3');
  });

  it('is meant when it is nearly time, and acts when the run is ready for it, with its victims known', async () => {
    const fault = new Scripted();
    const nearly = async (): Promise<boolean> => {
      expect(fault.edges).toEqual([]);
      await fault.clock.sleep(300);
      return true;
    };
    const ready = async (brokers: readonly number[]): Promise<undefined> => {
      expect([fault.edges, brokers]).toEqual([['intent'], [1]]);
      await fault.clock.sleep(700);
    };
    await fault.run({}, { nearly, ready });
    expect(fault.journal.edges.slice(0, 2)).toMatchObject([
      { edge: 'intent', at: 300 },
      { edge: 'applied', at: 1050 },
    ]);
  });

  it('does not act where the run says at its moment why it must not', async () => {
    const fault = new Scripted();
    const outcome = await fault.run({}, { ready: () => Promise.resolve('partition 0 is led by broker 2 now') });
    expect(fault.edges.slice(0, 2)).toEqual(['intent', 'unconfirmed']);
    expect(fault.edges).not.toContain('applied');
    expect(outcome).toMatchObject({ confirmed: false, reason: 'not applied: partition 0 is led by broker 2 now' });
  });

  it('is not meant at all when it shall not act after all', async () => {
    const fault = new Scripted();
    const outcome = await fault.run({}, { nearly: () => Promise.resolve(false) });
    expect(fault.edges).toEqual(['unconfirmed']);
    expect(outcome).toMatchObject({ healed: 'nothing-to-heal', confirmed: false });
  });

  it('does not act when the run is aborted before it is ready, and heals what was meant', async () => {
    const fault = new Scripted();
    let acted = false;
    fault.apply = async () => {
      acted = true;
      await Promise.resolve();
    };
    await fault.run(
      {},
      {
        ready: async () => {
          fault.aborting.abort(new Error('enough'));
          return await Promise.resolve(undefined);
        },
      },
    );
    expect(acted).toBe(false);
    expect(fault.edges).toEqual(['intent', 'unconfirmed', 'healing', 'healed']);
  });

  it('heals at once when it is aborted while it is held', async () => {
    const fault = new Scripted();
    fault.evidence = () => ({ e: false });
    void fault.clock.sleep(3000).then(() => fault.aborting.abort(new Error('enough')));
    await fault.run({ duration: '2s', confirm: { timeout: '1m' } });
    expect(fault.journal.edges.find((edge) => edge.edge === 'healing')?.at).toBe(3000);
  });

  it('is healed when it could not be applied', async () => {
    const fault = new Scripted();
    fault.apply = async () => await Promise.reject(new Error('no such process'));
    const outcome = await fault.run();
    expect(fault.edges).toEqual(['intent', 'unconfirmed', 'healing', 'healed']);
    expect(outcome.reason).toContain('no such process');
  });

  it('does nothing at all when it cannot be prepared', async () => {
    const fault = new Scripted();
    const definition: FaultDefinition = {
      ...processKill,
      prepare: async () => await Promise.reject(new Error('nobody leads')),
    };
    const outcome = await fault.run({}, { definition });
    expect(fault.edges).toEqual(['unconfirmed']);
    expect(outcome).toMatchObject({ confirmed: false, healed: 'nothing-to-heal' });
  });

  it.each([10, 200, 4000])('heals at once when aborted after %d ms', async (afterMs) => {
    const fault = new Scripted();
    void fault.clock.sleep(afterMs).then(() => fault.aborting.abort(new Error('enough')));
    const outcome = await fault.run({ duration: '1h' });
    expect(fault.edges.slice(-2)).toEqual(['healing', 'healed']);
    expect(outcome.healedAt).toBeLessThan(afterMs + 3000);
    expect(fault.done).toContain('heal');
  });

  it('is heal-failed with the last thing seen when it never looks healed', async () => {
    const fault = new Scripted();
    fault.healed = () => false;
    const outcome = await fault.run();
    expect(fault.edges.at(-1)).toBe('heal-failed');
    expect(outcome).toMatchObject({ healed: 'heal-failed' });
    expect(outcome.reason).toContain('effect false');
  });

  it('needs ten good rounds in a row to be healed', async () => {
    const fault = new Scripted();
    let rounds = 0;
    fault.healed = () => ++rounds % 10 !== 0 || rounds > 30;
    await fault.run();
    expect(rounds).toBeGreaterThan(30);
  });

  it('is heal-failed when healing throws', async () => {
    const fault = new Scripted();
    fault.heal = async () => await Promise.reject(new Error('proxy is gone'));
    expect((await fault.run()).reason).toContain('proxy is gone');
    expect(fault.edges.at(-1)).toBe('heal-failed');
  });

  it('heals first and tells then when the journal cannot be written any more', async () => {
    const fault = new Scripted();
    const journal = {
      ...fault.journal,
      append: async (edge: JournalEdge) => {
        if (edge.edge !== 'intent') throw new Error('no space');
        await fault.journal.append(edge);
      },
    };
    await expect(fault.run({}, { journal })).rejects.toThrow('no space');
    expect(fault.done).toContain('heal');
  });

  it('tells that it is not healed also when the journal cannot be written any more', async () => {
    const fault = new Scripted();
    fault.heal = async () => await Promise.reject(new Error('proxy is gone'));
    const journal = {
      ...fault.journal,
      append: async ({ edge }: JournalEdge) => {
        if (edge !== 'intent') await Promise.reject(new Error('no space'));
      },
    };
    const told: string[] = [];
    const ended = fault.run({}, { journal, onEdge: ({ edge }) => told.push(edge) });
    await expect(ended).rejects.toThrow('no space');
    expect(told).toEqual(['intent', 'applied', 'confirmed', 'healing', 'heal-failed']);
  });

  it('is not performed when the watchdog does not answer', async () => {
    const fault = new Scripted();
    const watchdog = { ping: async () => await Promise.reject(new Error('silent')) };
    await expect(fault.run({}, { watchdog })).rejects.toThrow('silent');
    expect(fault.done).toEqual(['close']);
    expect(fault.edges).toEqual([]);
  });
});
