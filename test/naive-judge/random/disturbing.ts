// What happens to the cluster of a random run besides producing: leaders, faults, snapshots, trimming, other writers.
import { append, appendForeign, type Cluster, type Log, tick, topicField, trim, truncate } from './cluster.ts';
import { chance, choose, maybe, weighted } from './line.ts';

/** Writes down who leads a partition, if the recorder sees it. */
export const observeLeader = (cluster: Cluster, log: Log, leader = log.leader): void => {
  const { random, plan } = cluster;
  if (!chance(random, plan.recorded.leaders)) return;
  cluster.lines.push({
    t: 'leader',
    at: tick(cluster),
    topic: topicField(cluster, log),
    partition: log.partition,
    leader,
    epoch: chance(random, 0.05) ? -1 : log.epoch,
  });
};

const moveLeader = (cluster: Cluster, log: Log): void => {
  const { random, plan } = cluster;
  if (chance(random, 0.15)) observeLeader(cluster, log, -1);
  log.epoch++;
  if (!chance(random, 0.15)) log.leader = 1 + (log.leader % 3);
  if (plan.mayTruncate && chance(random, 0.5)) truncate(log, 1 + random.integer(3));
  observeLeader(cluster, log);
};

/** The edges of a fault from its intent to its end; some are never confirmed, or not healed. */
const edgesOfFault = (cluster: Cluster): string[] =>
  weighted(cluster.random, [
    [82, ['intent', 'applied', 'confirmed', 'healing', 'healed']],
    [4, ['intent', 'applied', 'unconfirmed', 'confirmed', 'healing', 'healed']],
    [4, ['intent', 'applied', 'confirmed', 'unconfirmed', 'healed']],
    [4, ['intent', 'applied', 'confirmed', 'healing', 'heal-failed']],
    [3, ['intent', 'applied', 'healed']],
    [3, ['intent', 'confirmed']],
    [2, ['intent', 'heal-failed', 'healed']],
  ]);

/** Whom a fault hits: the leader, others or all; sometimes the recorder does not know. */
const victimsOf = (cluster: Cluster, log: Log): readonly number[] | undefined => {
  const { random } = cluster;
  const others = random.shuffle([1, 2, 3].filter((broker) => broker !== log.leader));
  return choose(random, [[log.leader], [log.leader, ...others.slice(0, 1)], others, [1, 2, 3], undefined]);
};

/** What a fault does to a log when it reaches this edge. */
const reachEdge = (cluster: Cluster, log: Log, edge: string, isLoss: boolean): void => {
  const { random } = cluster;
  if (edge !== 'applied' && edge !== 'confirmed') return;
  if (edge === 'applied' && chance(random, 0.4)) settleOnePending(cluster);
  if (edge === 'confirmed' && isLoss) truncate(log, 1 + random.integer(3));
  if (chance(random, 0.35)) moveLeader(cluster, log);
};

const injectFault = (cluster: Cluster): void => {
  const { random, lines } = cluster;
  const log = random.pick(cluster.logs);
  const fault = random.pick(['process-kill', 'node-loss', 'node-loss', 'network-partition']);
  const victims = victimsOf(cluster, log);
  const id = maybe(random, 0.5, `f${lines.length}`);
  const require = maybe(random, 0.25, 'mechanism');
  const isRequiredOnEach = chance(random, 0.7);
  const isLoss = fault === 'node-loss' && chance(random, 0.6);
  for (const edge of edgesOfFault(cluster)) {
    const required = isRequiredOnEach || edge === 'intent' ? require : undefined;
    lines.push({ t: 'fault', at: tick(cluster), fault, id, edge, victims, require: required });
    reachEdge(cluster, log, edge, isLoss);
  }
};

const settleOnePending = (cluster: Cluster): void => {
  cluster.pending.shift()?.happen();
};

/** Asks for the ends of a log; now and then an old leader answers. */
export const snapshot = (cluster: Cluster, log: Log, when: string): void => {
  const { random, plan } = cluster;
  const behind = when !== 'baseline' && chance(random, 0.08) ? 1 : 0;
  cluster.lines.push({
    t: 'offsets',
    at: tick(cluster),
    when,
    topic: topicField(cluster, log),
    partition: log.partition,
    earliest: log.start,
    latest: Math.max(log.start, log.end - behind * (1 + random.integer(3))),
    latestCommitted: maybe(random, 0.05, log.end),
    topicId: plan.recorded.topicIds ? log.topicId : undefined,
    epoch: maybe(random, plan.recorded.readEpochs, log.epoch - behind),
  });
  if (when.startsWith('after-') && log.entries.length > 2) tellEpochs(cluster, log);
};

/** Where the epochs of a log begin; no judgement goes by it, only the gate beside it. */
const tellEpochs = (cluster: Cluster, log: Log): void => {
  const starts = log.entries
    .filter(({ epoch }, index) => epoch !== log.entries[index - 1]?.epoch)
    .map(({ epoch, offset }) => ({ epoch, offset }));
  const place = { topic: topicField(cluster, log), partition: log.partition };
  cluster.lines.push({ t: 'epochs', at: cluster.nowMs, ...place, starts });
};

/** Retention, DeleteRecords or compaction takes something, if the topic has any. */
export const clean = (cluster: Cluster, log: Log): void => {
  const { random, plan } = cluster;
  const { config } = log.topic;
  const hasRetention = config['retention.ms'] !== undefined || config['retention.bytes'] !== undefined;
  if (hasRetention || plan.deleteRecords) trim(log, random.integer(3));
  if (String(config['cleanup.policy']).includes('compact') && log.entries.length > 0) {
    const victim = random.pick(log.entries);
    log.entries = log.entries.filter((entry) => entry !== victim);
  }
};

const writeByOthers = (cluster: Cluster, log: Log): void => {
  const { random } = cluster;
  if (chance(random, 0.5)) append(log, [{ kind: 'control', id: undefined, producerId: undefined }]);
  else if (!log.topic.exclusive || chance(random, 0.1)) appendForeign(cluster, log);
};

const complain = (cluster: Cluster): void => {
  cluster.lines.push({
    t: 'harness',
    at: tick(cluster),
    anomaly: cluster.random.pick(['clock-jump', 'insufficient-samples']),
    detail: 'the run proved less than it should',
  });
};

/** One disturbance of a random kind. */
export const disturb = (cluster: Cluster): void => {
  const { random, plan } = cluster;
  const log = random.pick(cluster.logs);
  const act = weighted<() => void>(random, [
    [30, () => moveLeader(cluster, log)],
    [22, () => injectFault(cluster)],
    [plan.recorded.snapshots * 25, () => snapshot(cluster, log, random.pick(['before-fault', 'after-heal']))],
    [15, () => clean(cluster, log)],
    [12, () => writeByOthers(cluster, log)],
    [3, () => complain(cluster)],
  ]);
  act();
};
