// What is watched while a part goes on: leadership by every broker's direct listener, the clocks, and the nodes' own logs. All
// of it goes into the part's timeline and is judged later, with everything else.
import { watchClock } from '../evidence/clock-watch.ts';
import { type LeaderWatch, watchLeaders } from '../evidence/leader-watch.ts';
import { watchLogs } from '../evidence/log-watch.ts';
import type { Part } from './part.ts';
import type { RunContext } from './run-context.ts';

export interface PartWatch extends AsyncDisposable {
  /** The broker that leads a partition now, as far as is known; undefined for none. */
  readonly leaderOf: (partition: number) => number | undefined;
}

const watchLeadership = ({ target, clock }: RunContext, part: Part): LeaderWatch =>
  watchLeaders({
    brokers: target.brokers,
    topics: [part.topic],
    security: target.security,
    clock,
    onLeader: ({ topic, partition, leader, epoch }) => part.tell({ t: 'leader', topic, partition, leader, epoch }),
    onInSync: ({ partition, epoch, inSync }) => {
      const text = `partition ${partition}: ${inSync.join(', ')}`;
      part.tell({ t: 'note', source: 'isr', text, data: { partition, epoch, inSync } });
    },
    onRecreated: (topic, topicId) => {
      part.tell({
        t: 'note',
        source: 'evidence',
        text: `${topic} was deleted and made again: its id is now ${topicId}`,
      });
    },
    onReach: (broker, reached, detail) => {
      const text = reached ? 'answers' : `does not answer: ${detail}`;
      part.tell({ t: 'note', source: `evidence/${broker}`, text });
    },
  });

/** A shorter stall a busy machine has too: bounds take it into account, and the run proves what it proves. */
const LONG_STALL_MS = 5000;

const watchClocks = ({ clock }: RunContext, part: Part): AsyncDisposable =>
  watchClock({
    clock,
    onJump: ({ jumpMs }) => {
      const detail = `the wall clock moved ${Math.round(jumpMs)} ms against the monotonic clock`;
      part.tell({ t: 'harness', anomaly: 'clock-jump', detail });
    },
    onStall: ({ stallMs }) => {
      part.tell({ t: 'standstill', ms: stallMs });
      if (stallMs < LONG_STALL_MS) return;
      const detail = `ackproof itself stood still for ${Math.round(stallMs)} ms: it was stopped, or the machine is too busy`;
      part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
    },
  });

/** Starts watching; disposing the result ends every watch. */
export const watchPart = async (context: RunContext, part: Part): Promise<PartWatch> => {
  const logs = await watchLogs({
    logs: context.target.logs,
    clock: context.clock,
    onLine: ({ node, text }) => part.tell({ t: 'note', source: node, text }),
  });
  const leaders = watchLeadership(context, part);
  const clocks = watchClocks(context, part);
  return {
    leaderOf: (partition) => {
      const fact = leaders.leaderOf(part.topic, partition);
      return fact === undefined || fact.leader < 0 ? undefined : fact.leader;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([leaders, clocks, logs].map(async (watch) => await watch[Symbol.asyncDispose]()));
    },
  };
};
