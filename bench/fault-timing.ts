// How exactly faults act: signals planned for moments of the run, sent to the brokers of a cluster under load by the
// schedule and the faults of a run. A signal counts from its planned moment to when the operating system showed its effect, which
// is later than its delivery. Prints the lags and the worst of them. Run: node dist-bench/bench/fault-timing.js [signals] [target] [ahead]
import { systemClock } from '../src/clock.ts';
import { type FaultSpec, faultSchema } from '../src/faults/fault-schema.ts';
import { awaitFreshAcks, exposedPartitions } from '../src/scenarios/fault-exposure.ts';
import { runFaultSchedule } from '../src/scenarios/fault-schedule.ts';
import { type FaultStory, storiesOf } from '../src/scenarios/fault-story.ts';
import { openStage, type Stage } from './drill-stage.ts';

const signals = Number(process.argv[2] ?? 500);
const kind = process.argv[3] ?? 'process';
/** A fault is planned so long ahead, ms; its preparation must fit. */
const aheadMs = Number(process.argv[4] ?? 5000);
const PARTITIONS = 6;
const GOAL_MS = 50;

/** A pause of one broker, or of the two that follow in partition 0: as short as a pause may be, and proved by the process alone. */
const pauseOf = (victim: Readonly<Record<string, string>>): FaultSpec =>
  faultSchema.parse({
    fault: 'process-pause',
    victim,
    at: `${aheadMs}ms`,
    duration: '200ms',
    confirm: { require: 'mechanism' },
  });

/** Performs one fault; its story, and by how much its effect came after its plan. */
const perform = async ({ bench, load, part }: Stage, spec: FaultSpec): Promise<readonly [FaultStory, number]> => {
  const [story] = storiesOf([spec]);
  if (story === undefined) throw new Error('no story');
  const moment = { steadyAt: part.at(), endsAt: Number.POSITIVE_INFINITY, acked: () => load.acked };
  const around = {
    beforeFault: async () => await Promise.resolve(),
    afterHeal: async () => await Promise.resolve(),
    ready: async ({ spec: { victim } }: FaultStory, brokers: readonly number[], signal: AbortSignal) => {
      const partitions = exposedPartitions(victim, brokers, new Map([[0, brokers[0]]]));
      await awaitFreshAcks(part, systemClock, partitions, load, () => [], signal);
      return undefined;
    },
  };
  await runFaultSchedule(bench, moment, around, [story]);
  const { appliedAt, plannedAt } = story.summary();
  if (appliedAt === undefined || plannedAt === undefined) throw new Error(JSON.stringify(story.summary()));
  return [story, appliedAt - plannedAt];
};

/** How much of it passed before the schedule let it act, and what that was. */
const whyLate = ({ intendedAt = Number.NaN, lateness, late }: FaultStory): string =>
  `${(intendedAt - (lateness.plannedAt ?? 0)).toFixed(1)} ms of them before it acted (${late?.lateBecause ?? 'in time'})`;

const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

const lags: number[] = [];
await using stage = await openStage({
  target: { kind },
  partitions: PARTITIONS,
  producers: 4,
  batch: 20,
  intervalMs: 100,
});
await systemClock.sleep(3000);
const from = { at: systemClock.now(), acked: stage.load.acked };
for (let turn = 0; lags.length < signals; turn++) {
  const [story, lag] = await perform(
    stage,
    pauseOf(turn % 5 === 0 ? { leaderOf: 'orders/0' } : { followersOf: 'orders/0' }),
  );
  for (const victim of story.summary().victims) {
    lags.push(lag);
    if (lag > GOAL_MS) process.stdout.write(`${victim}: ${lag.toFixed(1)} ms, ${whyLate(story)}\n`);
  }
}
const rate = ((stage.load.acked - from.acked) * 1000) / (systemClock.now() - from.at);
lags.sort((one, other) => one - other);
const worst = lags.at(-1) ?? Number.NaN;
process.stdout.write(
  `${lags.length} signals on ${kind}, ${Math.round(rate)} records/s acknowledged meanwhile: planned to effect ` +
    `median ${quantile(lags, 0.5)} ms, p99 ${quantile(lags, 0.99)} ms, worst ${worst.toFixed(1)} ms ` +
    `(goal ${GOAL_MS} ms: ${worst <= GOAL_MS ? 'reached' : 'missed'})\n`,
);
