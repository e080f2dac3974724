import { describe, expect, it } from 'vitest';
import { memoryJournal, specOf, WHOLE_LIFE } from '../../test/faults/run-on.ts';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { randomStream } from '../random.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { EvidenceSample, FaultContext, JournalEdge, PreparedFault } from './fault.ts';
import type { FaultOutcome, FaultRun } from './fault-run.ts';
import { processKill } from './process-kill.ts';
import { runFault } from './run-fault.ts';
import { Strikes } from './strikes.ts';

const KINDS = ['mechanism', 'effect', 'control'] as const;
const ALL_HOLDS: readonly EvidenceSample[] = KINDS.map((kind) => ({ kind, holds: true, seen: kind }));

interface Lived {
  readonly outcome: FaultOutcome;
  readonly edges: readonly JournalEdge[];
  /** What was done, each as `time what`. */
  readonly done: readonly string[];
}

/** How a preparation ends: with a broker, or with what keeps it from one. */
type Script = (round: number, context: FaultContext) => Promise<number>;

const PLANNED_AT = 5000;

/** A fault that is prepared from the beginning on, planned for 5000 ms, while others act. */
const live = async (
  choose: Script,
  {
    whyNotMeant = () => undefined,
    victim = { leaderOf: 'orders/0' },
    signal = new AbortController().signal,
    strike,
  }: Partial<Pick<NonNullable<FaultRun['amid']>, 'whyNotMeant'>> & {
    readonly victim?: unknown;
    readonly signal?: AbortSignal;
    readonly strike?: readonly [atMs: number, node: 'broker/1'];
  } = {},
): Promise<Lived> => {
  const clock = new VirtualClock();
  const journal = memoryJournal();
  const strikes = new Strikes(clock);
  const done: string[] = [];
  const note = (what: string): number => done.push(`${clock.now()} ${what}`);
  let round = 0;
  const preparedOn = (broker: number): PreparedFault => ({
    victims: [`broker/${broker}`],
    brokers: [broker],
    chosen: 'by the test',
    undo: { fault: 'process-kill', steps: [{ do: 'start-node', node: `broker/${broker}` }] },
    apply: async () => {
      note(`apply ${broker}`);
      return await Promise.resolve({ answer: 'done' });
    },
    observe: async () => await Promise.resolve(ALL_HOLDS),
    heal: async () => await Promise.resolve(),
    observeHealed: async () => await Promise.resolve([{ kind: 'effect', holds: true, seen: 'well' }]),
    close: () => note(`close ${broker}`),
  });
  const reached = async (at: number): Promise<void> => {
    await clock.sleep(Math.max(0, at - clock.now()), signal).catch(() => undefined);
  };
  const run = runFault({
    id: 'process-kill-1',
    definition: {
      ...processKill,
      prepare: async (context) => {
        round += 1;
        note(`prepare ${round}`);
        return preparedOn(await choose(round, context));
      },
    },
    spec: specOf({ fault: 'process-kill', victim, at: '5s', duration: '1s' }),
    context: { target: {} as StartedTarget, runId: 'r', topicName: (alias) => alias },
    random: () => randomStream(1, 'x'),
    journal,
    strikes,
    clock,
    originMs: clock.now(),
    signal,
    amid: { plannedAt: PLANNED_AT, whyNotMeant },
    nearly: async () => {
      await reached(PLANNED_AT - 400);
      return !signal.aborted;
    },
    ready: async () => {
      await reached(PLANNED_AT);
      return undefined;
    },
  });
  const struck = async (): Promise<void> => {
    if (strike === undefined) return;
    await clock.sleep(strike[0]);
    strikes.begin('other-1', [strike[1]]);
  };
  const [outcome] = await clock.run(Promise.all([run, struck()]));
  return { outcome, edges: journal.edges, done };
};

describe('a fault that is prepared while others act', () => {
  it('acts at its moment, whom it chose ahead of it', async () => {
    const { outcome, done } = await live(async () => await Promise.resolve(1));
    expect(done.slice(0, 2)).toEqual(['0 prepare 1', '5000 apply 1']);
    expect(outcome).toMatchObject({ confirmed: true, victims: ['broker/1'] });
  });

  it('chooses once more at its moment where leadership has moved until then', async () => {
    const { outcome, edges, done } = await live(async (round) => await Promise.resolve(round), {
      whyNotMeant: (brokers) => (brokers.includes(1) ? 'partition 0 is led by broker 2 now' : undefined),
    });
    expect(done.slice(0, 4)).toEqual(['0 prepare 1', '4600 close 1', '5000 prepare 2', '5000 apply 2']);
    expect(edges.map(({ edge }) => edge)).toEqual(WHOLE_LIFE);
    expect(edges.map(({ victims }) => victims)).toEqual(WHOLE_LIFE.map(() => ['broker/2']));
    expect(outcome).toMatchObject({ confirmed: true, victims: ['broker/2'] });
    expect(done.filter((what) => what.includes('close'))).toHaveLength(2);
  });

  it('is prepared again and again while nobody can be chosen, and no failure is told of one that comes in time', async () => {
    const { edges, done } = await live(async (round) => {
      if (round <= 3) throw new Error('nobody leads it');
      return await Promise.resolve(2);
    });
    expect(done.slice(0, 5)).toEqual([
      '0 prepare 1',
      '1000 prepare 2',
      '2000 prepare 3',
      '3000 prepare 4',
      '5000 apply 2',
    ]);
    expect(edges.map(({ edge }) => edge)).toEqual(WHOLE_LIFE);
  });

  it('is told not to be injected where it cannot be prepared at its moment either', async () => {
    const { outcome, edges, done } = await live(async () => await Promise.reject(new Error('nobody leads it')));
    expect(done.at(-1)).toBe('5000 prepare 6');
    expect(edges).toMatchObject([{ edge: 'unconfirmed', at: 5000, reason: 'not injected: nobody leads it' }]);
    expect(outcome).toMatchObject({ confirmed: false, healed: 'nothing-to-heal' });
  });

  // What the other fault does to it, such as a restart, makes what was seen of it ahead of that a thing of the past.
  it('looks at its victim again where another fault has it in hand meanwhile', async () => {
    const { done } = await live(async () => await Promise.resolve(1), { strike: [2000, 'broker/1'] });
    expect(done.slice(0, 4)).toEqual(['0 prepare 1', '4600 close 1', '5000 prepare 2', '5000 apply 1']);
  });

  it('draws the same each time it chooses by chance', async () => {
    const drawn: number[] = [];
    await live(async (round, { random }) => {
      drawn.push(random.integer(1_000_000));
      if (round < 3) throw new Error('not yet');
      return await Promise.resolve(1);
    });
    expect(drawn).toHaveLength(3);
    expect(new Set(drawn).size).toBe(1);
  });

  it('is not prepared again once the run is aborted', async () => {
    const stop = new AbortController();
    const { edges, done } = await live(
      async () => {
        stop.abort(new Error('stopped'));
        return await Promise.reject(new Error('stopped'));
      },
      { signal: stop.signal },
    );
    expect(done).toEqual(['0 prepare 1']);
    expect(edges.map(({ edge }) => edge)).toEqual(['unconfirmed']);
  });
});
