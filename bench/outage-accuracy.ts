// Whether the outages of a report are as long as they were: faults that take partition 0 away for a while, measured by a run's own
// load and judge, and at the same time by a process of its own that does nothing but probe that partition. Prints both and the
// difference. Run: node dist-bench/bench/outage-accuracy.js [faults] [target]
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../src/clock.ts';
import { faultSchema } from '../src/faults/fault-schema.ts';
import { judgeRun } from '../src/ledger/judge-run.ts';
import type { Outage } from '../src/ledger/judgement.ts';
import { runFaultSchedule } from '../src/scenarios/fault-schedule.ts';
import { storiesOf } from '../src/scenarios/fault-story.ts';
import { openStage, type Stage } from './drill-stage.ts';

const count = Number(process.argv[2] ?? 6);
const kind = process.argv[3] ?? 'process';
const GOAL_MS = 25;
const SPACING_MS = 30_000;

const written = [
  { fault: 'client-partition', victim: { leaderOf: 'orders/0' }, duration: '3s' },
  { fault: 'process-kill', victim: { leaderOf: 'orders/0' }, duration: '12s' },
  { fault: 'process-pause', victim: { leaderOf: 'orders/0' }, duration: '3s' },
];

/** The prober's acknowledgements, in the part's time. */
const startProber = ({ target, part }: Stage) => {
  const originMs = Number(process.hrtime.bigint() / 1000n) / 1000 - part.at();
  const bootstrap = target.bootstrap.map(({ host, port }) => `${host}:${port}`).join(',');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'outage-prober.js'), part.topic, bootstrap], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const times: number[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => times.push(Number(line) - originMs));
  return { child, times };
};

/** The longest stretch without an acknowledgement that overlaps the given one. */
const gapAround = (times: readonly number[], { from, to = Number.POSITIVE_INFINITY }: Outage): Outage => {
  let longest = { faultId: '', from: 0, to: 0 };
  for (const [index, time] of times.entries()) {
    const last = times[index - 1] ?? time;
    if (time > from && last < to && time - last > longest.to - longest.from)
      longest = { faultId: '', from: last, to: time };
  }
  return longest;
};

const specs = Array.from({ length: count }, (_, index) =>
  faultSchema.parse({ ...written[index % written.length], at: `${5000 + index * SPACING_MS}ms` }),
);
await using stage = await openStage({ target: { kind }, partitions: 1, producers: 4, batch: 10, intervalMs: 20 });
await systemClock.sleep(2000);
const { child, times } = startProber(stage);
await systemClock.sleep(2000);
const { part, load, bench } = stage;
const around = {
  beforeFault: async () => await Promise.resolve(),
  afterHeal: async () => await Promise.resolve(),
};
const moment = { steadyAt: part.at(), endsAt: Number.POSITIVE_INFINITY, acked: () => load.acked };
await runFaultSchedule(bench, moment, around, storiesOf(specs));
await systemClock.sleep(8000);
child.stdin.end();
await load.stop();
part.seal();
const { availability } = await judgeRun(part.directory);
let worst = 0;
for (const outage of availability[0]?.outages ?? []) {
  const probed = gapAround(times, outage);
  const { from, to = Number.NaN } = outage;
  const off = to - from - ((probed.to ?? Number.NaN) - probed.from);
  worst = Math.max(worst, Number.isNaN(off) ? Number.POSITIVE_INFINITY : Math.abs(off));
  const ends = `begins ${(from - probed.from).toFixed(1)} ms, ends ${(to - (probed.to ?? 0)).toFixed(1)} ms after the prober's`;
  process.stdout.write(
    `${outage.faultId}: ${(to - from).toFixed(1)} ms, ${off.toFixed(1)} ms longer than probed; ${ends}\n`,
  );
}
const verdict = worst <= GOAL_MS ? 'reached' : 'missed';
process.stdout.write(`worst difference ${worst.toFixed(1)} ms (goal ${GOAL_MS} ms: ${verdict})\n`);
