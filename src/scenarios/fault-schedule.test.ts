import { beforeAll, expect, test } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn, memoryJournal, specOf } from '../../test/faults/run-on.ts';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { systemClock } from '../clock.ts';
import { Strikes } from '../faults/strikes.ts';
import { randomStream } from '../random.ts';
import type { StartedTarget } from '../targets/target.ts';
import { type FaultBench, type FaultClock, runFaultSchedule, runPassFaults } from './fault-schedule.ts';
import { FaultStory, storiesOf } from './fault-story.ts';
import type { Part } from './part.ts';

interface Told {
  readonly bench: FaultBench;
  readonly clock: VirtualClock;
  /** `edge` lines as `time id edge`, harness lines as their detail. */
  readonly lines: string[];
}

/** A bench whose target offers nothing: each fault gets as far as its preparation, which is refused. */
const bench = (signal = new AbortController().signal): Told => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const tell = (
    line: { t: string; id?: string; edge?: string; detail?: string; text?: string },
    at = clock.now(),
  ): void => {
    const rest = line.t === 'note' ? `note: ${line.text}` : `${line.detail}`;
    lines.push(line.t === 'fault' ? `${at} ${line.id} ${line.edge}` : rest);
  };
  const part = { at: () => clock.now(), tell } as unknown as Part;
  const target = { brokers: [], can: {} } as unknown as StartedTarget;
  const listener = (): void => undefined;
  const watchdog = { ping: () => Promise.resolve() };
  return {
    bench: {
      part,
      context: contextOn(target),
      randomOf: (id) => randomStream(1, id),
      strikes: new Strikes(clock),
      journal: memoryJournal(),
      watchdog,
      clock,
      listener,
      signal,
    },
    clock,
    lines,
  };
};

// What a fault needs is loaded when it is prepared, and a virtual clock does not wait for a disk.
beforeAll(async () => {
  await Promise.all([
    import('../faults/process-fault.ts'),
    import('../faults/leadership.ts'),
    import('../faults/quorum-watch.ts'),
  ]);
});

const around = { beforeFault: () => Promise.resolve(), afterHeal: () => Promise.resolve() };

const never = new AbortController().signal;

const kill = (at: unknown) => specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '1s', at });

const run = async (told: Told, at: unknown, moment: Partial<FaultClock> = {}): Promise<readonly string[]> => {
  const when: FaultClock = { steadyAt: 0, endsAt: 10_000, acked: () => 0, ...moment };
  await told.clock.run(runFaultSchedule(told.bench, when, around, storiesOf([kill(at)])));
  return told.lines;
};

// Red before: it was prepared at its moment, so that it acted whenever that was done.
modelTest('a fault is prepared and meant ahead of its moment, and acts at it', async ({ target }) => {
  const told = bench();
  const begun = systemClock.now();
  const part = { at: () => systemClock.now() - begun, tell: () => undefined } as unknown as Part;
  const journal = memoryJournal();
  const mine = { ...told.bench, part, journal, context: contextOn(target), clock: systemClock };
  const [story] = storiesOf([
    specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '100ms', at: '1800ms' }),
  ]);
  const when: FaultClock = { steadyAt: 200, endsAt: 10_000, acked: () => 0 };
  await runFaultSchedule(mine, when, around, [story as FaultStory]);
  const intent = journal.edges.find(({ edge }) => edge === 'intent');
  expect(intent?.at).toBeGreaterThanOrEqual(1600);
  expect(intent?.at).toBeLessThan(2000);
  expect(story?.intendedAt).toBeGreaterThanOrEqual(2000);
  expect(story?.summary()).toMatchObject({ plannedAt: 2000, confirmed: true });
});

// Red before: its time for healing passed while the other one kept a broker away, and it was told to be unhealed.
modelTest('a fault is healed beside another that lasts longer than its own time for healing', async ({ target }) => {
  const told = bench();
  const begun = systemClock.now();
  const part = { at: () => systemClock.now() - begun, tell: () => undefined } as unknown as Part;
  const mine = {
    ...told.bench,
    part,
    strikes: new Strikes(systemClock),
    context: contextOn(target),
    clock: systemClock,
  };
  const stories = storiesOf([
    specOf({ fault: 'process-pause', victim: { broker: 1 }, at: '500ms', duration: '500ms', heal: { timeout: '1s' } }),
    specOf({ fault: 'process-kill', victim: { broker: 2 }, at: '700ms', duration: '3s' }),
  ]);
  await runFaultSchedule(mine, { steadyAt: 0, endsAt: 10_000, acked: () => 0 }, around, stories);
  const [pause, kill] = stories.map(({ outcome }) => outcome);
  expect(kill).toMatchObject({ healed: 'healed' });
  expect(pause).toMatchObject({ healed: 'healed' });
  expect(pause?.healedAt).toBeGreaterThan(3700);
});

test('a fault that cannot be performed is told before its moment', async () => {
  const lines = await run(bench(), '7s', { steadyAt: 200 });
  expect(lines[0]).toBe('2200 process-kill-1 unconfirmed');
});

test('a fault waits for the acknowledged record that it was told to wait for', async () => {
  const told = bench();
  const lines = await run(told, { afterAcks: 50 }, { acked: () => told.clock.now() / 10 });
  expect(lines[0]).toBe('500 process-kill-1 unconfirmed');
});

test('a fault whose acknowledgements never come is told, and does not wait beyond the load', async () => {
  const told = bench();
  expect(await run(told, { afterAcks: 50 }, { endsAt: 3000, acked: () => 7 })).toEqual([
    'process-kill-1 was to begin after 50 acknowledged records; there were 7',
  ]);
  expect(told.clock.now()).toBe(3000);
});

test('a fault that was planned after the end of another waits for that end, and says so', async () => {
  const told = bench();
  const slow = {
    ...around,
    beforeFault: async ({ id }: FaultStory) => (id === 'process-kill-1' ? await told.clock.sleep(4000) : undefined),
  };
  const stories = storiesOf([kill('1s'), kill('2s'), kill('1500ms')]);
  await told.clock.run(runFaultSchedule(told.bench, { steadyAt: 0, endsAt: 9000, acked: () => 0 }, slow, stories));
  // The third was meant to begin while the first lasts, so it does.
  expect(told.lines).toEqual([
    '1500 process-kill-3 unconfirmed',
    expect.stringMatching(/^note: process-kill-1 begins 3000 ms later than planned: /),
    '4000 process-kill-1 unconfirmed',
    expect.stringMatching(/^note: process-kill-2 begins 20\d\d ms later than planned: process-kill-1 was not over$/),
    expect.stringMatching(/^40\d\d process-kill-2 unconfirmed$/),
  ]);
});

// Red before: only a fault that waited for an earlier one was told to be late, and only in the timeline.
test('a fault that waited for its baseline is late, and its summary says against which plan and why', async () => {
  const told = bench();
  const slow = { ...around, beforeFault: async () => await told.clock.sleep(2100) };
  const [story] = storiesOf([kill('1s')]);
  const when: FaultClock = { steadyAt: 200, endsAt: 9000, acked: () => 0 };
  await told.clock.run(runFaultSchedule(told.bench, when, slow, [story as FaultStory]));
  const lateBecause = 'what the cluster looked like before it was slow to learn';
  expect(story?.summary()).toMatchObject({ plannedAt: 1200, lateMs: 900, lateBecause });
  expect(told.lines[0]).toBe(`note: process-kill-1 begins 900 ms later than planned: ${lateBecause}`);
});

test('a fault that begins in time is not late', async () => {
  const told = bench();
  const [story] = storiesOf([kill('1s')]);
  const when: FaultClock = { steadyAt: 0, endsAt: 9000, acked: () => 0 };
  await told.clock.run(runFaultSchedule(told.bench, when, around, [story as FaultStory]));
  expect(story?.summary()).toMatchObject({ plannedAt: 1000 });
  expect(story?.summary()).not.toHaveProperty('lateMs');
});

// Red before: what a fault waited for right before its intent was told nowhere.
modelTest('a fault that waited for a fresh acknowledgement is late', async ({ target }) => {
  const told = bench();
  const begun = systemClock.now();
  const part = { at: () => systemClock.now() - begun, tell: () => undefined } as unknown as Part;
  const mine = { ...told.bench, part, context: contextOn(target), clock: systemClock };
  const ready = async (): Promise<undefined> => {
    await systemClock.sleep(300);
    return undefined;
  };
  const spec = specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '100ms', at: '1ms' });
  const [story] = storiesOf([spec]);
  const when: FaultClock = { steadyAt: 0, endsAt: 10_000, acked: () => 0 };
  await runFaultSchedule(mine, when, { ...around, ready }, [story as FaultStory]);
  expect(story?.summary().lateBecause).toContain('it waited for a fresh acknowledgement');
});

// Red before: it was a note that the second begins late, and the run passed a claim about two faults at once.
modelTest(
  'a fault that acts only when the one it was planned amid is over makes the run inconclusive',
  async ({ target }) => {
    const told = bench();
    const begun = systemClock.now();
    const harness: string[] = [];
    const tell = (line: { t: string; detail?: string }): void => {
      if (line.t === 'harness') harness.push(`${line.detail}`);
    };
    const part = { at: () => systemClock.now() - begun, tell } as unknown as Part;
    const mine = { ...told.bench, part, context: contextOn(target), clock: systemClock };
    const stories = storiesOf([
      specOf({ fault: 'process-pause', victim: { broker: 2 }, duration: '300ms', at: '1ms' }),
      specOf({ fault: 'process-kill', victim: { broker: 1 }, duration: '100ms', at: '200ms' }),
    ]);
    const [pause] = stories;
    const ready = async ({ spec }: FaultStory): Promise<undefined> => {
      while (spec.fault === 'process-kill' && pause?.healedAt === undefined) await systemClock.sleep(5);
      return undefined;
    };
    const when: FaultClock = { steadyAt: 0, endsAt: 60_000, acked: () => 0 };
    await runFaultSchedule(mine, when, { ...around, ready }, stories);
    expect(harness).toContainEqual(
      expect.stringMatching(
        /^process-pause-1 acted from \d+ to \d+ ms and process-kill-2 acted from \d+ to \d+ ms, although they were planned/,
      ),
    );
  },
);

// Red before: it was prepared only at its moment, and began late by what that took.
modelTest('a fault amid another is prepared once that one is meant, and begins at its moment', async ({ target }) => {
  const told = bench();
  const begun = systemClock.now();
  const part = { at: () => systemClock.now() - begun, tell: () => undefined } as unknown as Part;
  const mine = {
    ...told.bench,
    part,
    strikes: new Strikes(systemClock),
    context: contextOn(target),
    clock: systemClock,
  };
  const stories = storiesOf([
    specOf({ fault: 'process-pause', victim: { broker: 2 }, at: '500ms', duration: '3s' }),
    specOf({ fault: 'process-kill', victim: { broker: 1 }, at: '2500ms', duration: '500ms' }),
  ]);
  const [pause, kill] = stories;
  let wasMeant: boolean | undefined;
  const slow = {
    ...around,
    beforeFault: async (story: FaultStory) => {
      if (story !== kill) return;
      wasMeant = pause?.intendedAt !== undefined;
      await systemClock.sleep(600);
    },
  };
  await runFaultSchedule(mine, { steadyAt: 0, endsAt: 10_000, acked: () => 0 }, slow, stories);
  expect(wasMeant).toBe(true);
  expect(kill?.summary()).toMatchObject({ plannedAt: 2500, confirmed: true });
  expect(kill?.late).toBeUndefined();
  expect(kill?.intendedAt).toBeGreaterThanOrEqual(2500);
});

modelTest('a fault amid another is asked right before its moment whether it is still meant', async ({ target }) => {
  const told = bench();
  const begun = systemClock.now();
  const at = (): number => systemClock.now() - begun;
  const part = { at, tell: () => undefined } as unknown as Part;
  const strikes = new Strikes(systemClock);
  const mine = { ...told.bench, part, strikes, context: contextOn(target), clock: systemClock };
  const stories = storiesOf([
    specOf({ fault: 'process-pause', victim: { followerOf: 'orders/0' }, at: '100ms', duration: '6s' }),
    specOf({ fault: 'process-kill', victim: { leaderOf: 'orders/0' }, at: '4s', duration: '300ms' }),
  ]);
  const asked: { readonly id: string; readonly at: number }[] = [];
  const strict = {
    ...around,
    whyNotMeant: ({ id }: FaultStory): string => {
      asked.push({ id, at: at() });
      return 'it has moved';
    },
  };
  await runFaultSchedule(mine, { steadyAt: 0, endsAt: 10_000, acked: () => 0 }, strict, stories);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.id).toBe('process-kill-2');
  expect(asked[0]?.at).toBeGreaterThanOrEqual(3600);
  expect(stories[1]?.summary()).toMatchObject({ confirmed: true });
  expect(stories[1]?.intendedAt).toBeGreaterThanOrEqual(4000);
});

test('a fault of a replay pass is left to that pass', async () => {
  const told = bench();
  const stories = storiesOf([kill({ pass: 'full', offset: '7s' })]);
  await told.clock.run(runFaultSchedule(told.bench, { steadyAt: 0, endsAt: 1, acked: () => 0 }, around, stories));
  expect(told.lines).toEqual([]);
  await told.clock.run(runPassFaults(told.bench, stories));
  expect(told.lines[0]).toBe('2000 process-kill-1 unconfirmed');
});

test('a run that is stopped begins no further fault', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await run(bench(stop.signal), '1s')).toEqual([]);
});

// Red before: all drew from one stream, and who was hit depended on who came first.
modelTest('each fault chooses by a random stream of its own', async ({ target }) => {
  const chosen = async (ids: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const told = bench();
    const mine = { ...told.bench, context: contextOn(target), clock: systemClock };
    const stories = ids.map(
      (id) =>
        new FaultStory(id, specOf({ fault: 'process-pause', victim: { random: 1 }, duration: '100ms', at: '0s' })),
    );
    const when: FaultClock = { steadyAt: 0, endsAt: 60_000, acked: () => 0 };
    for (const story of stories) await runFaultSchedule(mine, when, around, [story]);
    return stories.map((story) => story.summary().victims);
  };
  const ids = ['process-pause-1', 'process-pause-2', 'process-pause-3'];
  const victims = await chosen(ids);
  expect(await chosen([...ids].reverse())).toEqual([...victims].reverse());
  expect(new Set(victims.flat()).size).toBeGreaterThan(1);
});

test('ids count the faults in the order of the scenario', () => {
  expect(storiesOf([kill('1s'), kill('2s')]).map(({ id }) => id)).toEqual(['process-kill-1', 'process-kill-2']);
});

// Red before: the judge saw that it was applied, which was enough.
modelTest(
  'a fault whose mechanism is enough was not effective when that has gone before its time',
  async ({ target }) => {
    const told = bench();
    const listener: FaultBench['listener'] = (event) => {
      if (event.kind === 'fault' && event.edge === 'confirmed') void target.cluster.control.start('broker/1', never);
    };
    const mine = { ...told.bench, listener, context: contextOn(target), clock: systemClock };
    const spec = specOf({
      fault: 'process-kill',
      victim: { broker: 1 },
      duration: '3s',
      at: '0s',
      confirm: { require: 'mechanism' },
    });
    const when: FaultClock = { steadyAt: 0, endsAt: 10_000, acked: () => 0 };
    await runFaultSchedule(mine, when, around, storiesOf([spec]));
    expect(told.lines).toContain('process-kill-1: ended-early: broker/1 is running');
  },
);
