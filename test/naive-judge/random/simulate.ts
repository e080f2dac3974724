// A whole random run on the toy cluster, legal as far as its own contract goes: baseline, producing under disturbances,
// settling, replay.
import type { Random } from '../../../src/random.ts';
import { append, type Cluster, type Log, startCluster, tick, topicField } from './cluster.ts';
import { clean, disturb, observeLeader, snapshot } from './disturbing.ts';
import { chance, type Line } from './line.ts';
import type { Plan } from './plan.ts';
import { produce, settleOne } from './producing.ts';
import { replay } from './replaying.ts';

const headerOf = (plan: Plan): Line => ({
  t: 'history',
  version: 1,
  run: 'r1',
  contract: plan.contract,
  topics: plan.topics.map(({ topic, partitions, replicationFactor, exclusive, config }) => ({
    topic,
    partitions,
    replicationFactor,
    exclusive: exclusive ? undefined : false,
    config: Object.keys(config).length === 0 ? undefined : config,
  })),
});

const begin = (cluster: Cluster): void => {
  const { random, plan } = cluster;
  for (const log of cluster.logs) {
    if (chance(random, plan.recorded.snapshots * plan.recorded.baseline)) snapshot(cluster, log, 'baseline');
    observeLeader(cluster, log);
  }
};

const work = (cluster: Cluster): void => {
  const { random } = cluster;
  const steps = 3 + random.integer(12);
  for (let step = 0; step < steps; step++) {
    const dice = random.next();
    if (dice < 0.5) produce(cluster);
    else if (dice < 0.82) settleOne(cluster);
    else disturb(cluster);
  }
  while (cluster.pending.length > 0 && !chance(random, 0.03)) settleOne(cluster);
};

const writeSentinel = (cluster: Cluster, log: Log): void => {
  const offset = append(log, [{ kind: 'sentinel', id: undefined, producerId: undefined }]);
  const topic = topicField(cluster, log);
  cluster.lines.push({ t: 'sentinel', at: tick(cluster), topic, partition: log.partition, offset });
};

const settle = (cluster: Cluster): void => {
  const { random, plan } = cluster;
  const isSentinelFirst = chance(random, 0.3);
  for (const log of cluster.logs) {
    const hasSentinel = chance(random, plan.recorded.sentinel);
    if (hasSentinel && isSentinelFirst) writeSentinel(cluster, log);
    if (chance(random, plan.recorded.snapshots * 0.8)) snapshot(cluster, log, 'after-producers');
    if (hasSentinel && !isSentinelFirst) writeSentinel(cluster, log);
  }
};

const replayAll = (cluster: Cluster): void => {
  const { random, plan } = cluster;
  const passes = random.pick([1, 1, 2, 2, 3]);
  for (let pass = 1; pass <= passes; pass++) {
    for (const log of cluster.logs) {
      if (chance(random, 0.15)) clean(cluster, log);
      if (chance(random, 0.3)) settleOne(cluster);
      replay(cluster, log, pass);
    }
  }
  for (const log of cluster.logs) {
    if (!chance(random, plan.recorded.snapshots * 0.5)) continue;
    if (chance(random, 0.2)) clean(cluster, log);
    snapshot(cluster, log, 'after-replay');
    if (!chance(random, 0.1)) continue;
    clean(cluster, log);
    snapshot(cluster, log, 'after-replay');
  }
};

/** The lines of a whole run, header first. */
export const simulateRun = (plan: Plan, random: Random): Line[] => {
  const cluster = startCluster(plan, random);
  begin(cluster);
  work(cluster);
  settle(cluster);
  replayAll(cluster);
  return [headerOf(plan), ...cluster.lines];
};
