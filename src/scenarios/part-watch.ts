// What is watched while a part goes on: leadership by every broker's direct listener, what the cluster tells of itself, the clocks,
// and the nodes' own logs. All of it goes into the part's timeline and is judged later, with everything else.
import { relative } from 'node:path';
import { watchClock } from '../evidence/clock-watch.ts';
import { watchCluster } from '../evidence/cluster-watch.ts';
import { type LeaderWatch, watchLeaders } from '../evidence/leader-watch.ts';
import { type LogPattern, patternsFor } from '../evidence/log-patterns.ts';
import { type LogCoverage, type LogLine, watchLogs } from '../evidence/log-watch.ts';
import { seriesLookedFor, watchMetrics } from '../evidence/metrics-scrape.ts';
import type { Leadership } from '../faults/still-chosen.ts';
import type { Part } from './part.ts';
import type { RunContext } from './run-context.ts';
import { tellLongStall } from './standstill.ts';
import { watchStorage } from './storage-evidence.ts';

/** Who leads a partition now and who is in sync, as far as is known. */
export type LeadershipOf = (partition: number) => Leadership;

export interface PartWatch extends AsyncDisposable {
  readonly leadershipOf: LeadershipOf;
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

const watchClocks = ({ clock }: RunContext, part: Part): AsyncDisposable =>
  watchClock({
    clock,
    onJump: ({ jumpMs }) => {
      const detail = `the wall clock moved ${Math.round(jumpMs)} ms against the monotonic clock`;
      part.tell({ t: 'harness', anomaly: 'clock-jump', detail });
    },
    // The load has a thread of its own, which tells when it stands still: bounds are about that.
    onStall: ({ stallMs }) => tellLongStall(part, stallMs),
  });

const tellLogLine = (part: Part, runDirectory: string, { node, text, hit }: LogLine): void => {
  const data = hit === undefined ? {} : { data: { ...hit, file: relative(runDirectory, hit.file) } };
  part.tell({ t: 'note', source: node, text, ...data });
};

const tellLogCoverage = (part: Part, { files, silent, lines, bytes, patterns }: LogCoverage): void => {
  const counted = patterns.map(({ pattern, before, during }) => {
    const { kind, means, isBadSign, boundary } = pattern;
    return { kind, means, isBadSign, boundary, before, during };
  });
  const text = `logs: ${lines} lines, ${bytes} bytes of ${files} files looked through for ${patterns.length} patterns`;
  part.tell({
    t: 'note',
    source: 'coverage',
    text,
    data: { watch: 'logs', files, silent, lines, bytes, patterns: counted },
  });
};

const patternsOf = ({ profile, description }: RunContext['target']): readonly LogPattern[] =>
  patternsFor(profile, description.fingerprint['kafka']);

const watchNodeLogs = async ({ target, clock, place }: RunContext, part: Part): Promise<AsyncDisposable> =>
  await watchLogs({
    logs: target.logs,
    patterns: patternsOf(target),
    clock,
    onLine: (line) => tellLogLine(part, place.directory, line),
    onCoverage: (coverage) => {
      if (coverage.files > 0) tellLogCoverage(part, coverage);
    },
  });

const watchItself = ({ target, clock, place }: RunContext, part: Part): AsyncDisposable =>
  watchCluster({
    target,
    topic: part.topic,
    partitions: part.partitions.length,
    at: () => part.at(),
    clientId: `ackproof-${place.runId}-watch`,
    clock,
    onFact: ({ source, text, data }) => part.tell({ t: 'note', source, text, data }),
  });

const watchScrapes = ({ metrics, clock }: RunContext, part: Part): AsyncDisposable => {
  const looked = { watch: 'series', lookedFor: seriesLookedFor() };
  if (metrics.length > 0) part.tell({ t: 'note', source: 'coverage', text: 'metrics: scraped', data: looked });
  return watchMetrics({
    sources: metrics,
    clock,
    onFact: ({ source, text, data }) => part.tell({ t: 'note', source, text, data }),
  });
};

/** What cannot be looked at here, so that nobody takes its silence for a good sign. */
const tellLacking = ({ target, metrics }: RunContext, part: Part): void => {
  const lacks = (watch: string, state: 'not-collected' | 'not-provided', text: string): void => {
    part.tell({ t: 'note', source: watch, text, data: { state } });
    part.tell({ t: 'note', source: 'coverage', text: `${watch}: ${text}`, data: { watch, state } });
  };
  if (target.can.objectStore === undefined && target.objectListing === undefined) {
    if (target.profile === 'apache-kafka')
      lacks('object-store', 'not-provided', 'Apache Kafka keeps its logs on brokers');
    else lacks('object-store', 'not-collected', 'the target names no object store to be listed');
  }
  if (metrics.length === 0) {
    const isOurs = target.profile === 'embedded';
    if (isOurs) lacks('metrics', 'not-provided', 'the embedded cluster has no exporter of metrics');
    else lacks('metrics', 'not-collected', 'the target file names no metrics to scrape');
  }
  if (target.logs.length === 0) lacks('logs', 'not-collected', 'the target gives no logs of its nodes');
  else if (target.profile !== 'embedded' && patternsOf(target).length === 0) {
    lacks('logs', 'not-collected', 'what this product or version writes into its logs is not known');
  }
};

/** Starts watching; disposing the result ends every watch. */
export const watchPart = async (context: RunContext, part: Part): Promise<PartWatch> => {
  tellLacking(context, part);
  const logs = await watchNodeLogs(context, part);
  const cluster = watchItself(context, part);
  const scrapes = watchScrapes(context, part);
  const leaders = watchLeadership(context, part);
  const clocks = watchClocks(context, part);
  const storage = watchStorage(context, part);
  return {
    leadershipOf: (partition) => {
      const fact = leaders.leaderOf(part.topic, partition);
      return { leader: fact?.leader, inSync: leaders.inSyncOf(part.topic, partition) };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        [leaders, cluster, scrapes, clocks, storage, logs].map(async (watch) => await watch[Symbol.asyncDispose]()),
      );
    },
  };
};
