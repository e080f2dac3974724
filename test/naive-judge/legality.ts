// Rule 14: may what was acknowledged be lost here? Clauses a to g in order, one function each where they are long.
import type { Acknowledgement, FaultLine, Partition, Read, SentRecord } from './history.ts';
import { holesOf, isCompacted, logStartOf } from './log-facts.ts';

/** `doubtful`: legal because something is not known, so that the verdict is at best `inconclusive`. */
export interface Lawfulness {
  readonly legal: boolean;
  readonly doubtful: boolean;
}

export const LEGAL: Lawfulness = { legal: true, doubtful: false };
/** "What no rule makes legal is illegal." */
export const ILLEGAL: Lawfulness = { legal: false, doubtful: false };
const DOUBTFUL: Lawfulness = { legal: true, doubtful: true };

/** "RF 1"; absent means more than 1. */
const hasOneReplica = (log: Partition): boolean => log.topic.replicationFactor === 1;

/** "unclean election (contract or topic `unclean.leader.election.enable`)" */
const mayElectUnclean = (log: Partition): boolean =>
  log.contract.uncleanLeaderElection || String(log.topic.config['unclean.leader.election.enable']) === 'true';

/**
 * Who led the partition from the fault's first edge to `confirmed`, as far as leader lines say. Where the last of them before
 * the fault says that nobody does ("`leader` −1 as none"), the leader at that moment is not known.
 */
const leadersBetween = (log: Partition, firstEdgeLine: number, confirmedLine: number): number[] => {
  const atFirstEdge = log.leaders.findLast((line) => line.line < firstEdgeLine);
  const later = log.leaders.filter((line) => line.line > firstEdgeLine && line.line < confirmedLine);
  return [...(atFirstEdge === undefined ? [] : [atFirstEdge]), ...later].flatMap(({ leader }) =>
    leader === undefined ? [] : [leader],
  );
};

/**
 * 14 d for one confirmed `node-loss`: "of ≥ k distinct victims together, the partition's leader between the fault's first
 * edge and `confirmed` among them: legal … If the victims or the leader are not known: legal, and the verdict is at best
 * `inconclusive`."
 */
const excuseOfNodeLoss = (log: Partition, confirmed: FaultLine): Lawfulness => {
  const { contract } = log;
  const edges = log.faults.filter((edge) => edge.id === confirmed.id);
  if (edges.every((edge) => edge.victims === undefined)) return DOUBTFUL;
  const victims = new Set(edges.flatMap((edge) => edge.victims ?? []));
  const needed = contract.acks === 'all' && !hasOneReplica(log) ? contract.minInSyncReplicas : 1;
  if (victims.size < needed) return ILLEGAL;
  const leaders = leadersBetween(log, edges[0]?.line ?? confirmed.line, confirmed.line);
  if (leaders.length === 0) return DOUBTFUL;
  return leaders.some((leader) => victims.has(leader)) ? LEGAL : ILLEGAL;
};

/** 14 d: "`node-loss` confirmed after the record's ack …; not where `survives` names `node-loss`." Absent: does not apply. */
const byNodeLoss = (log: Partition, ack: Acknowledgement): Lawfulness | undefined => {
  if (log.contract.survives.includes('node-loss')) return undefined;
  const excuses = log.faults
    .filter((edge) => edge.fault === 'node-loss' && edge.edge === 'confirmed' && edge.line > ack.line)
    .map((confirmed) => excuseOfNodeLoss(log, confirmed));
  return excuses.find((excuse) => excuse.legal && !excuse.doubtful) ?? excuses.find((excuse) => excuse.legal);
};

/** "A new leader is a `leader` ≥ 0 that differs from the last one ≥ 0 of that partition; the first line shows none." */
const newLeaderLines = (log: Partition): { line: number; atMs: number }[] => {
  const named = log.leaders.filter((line) => line.leader !== undefined);
  return named.filter((line, index) => index > 0 && line.leader !== named[index - 1]?.leader);
};

/**
 * 14 g, first half: "the ack names its epoch and a `leader`, `read`, `ack` or `offsets` line names a higher one; or, without
 * an epoch, a `leader` line with a new leader stands after the ack or at most `deliveryTimeout` before it."
 */
const leaderChangedAfter = (log: Partition, ack: Acknowledgement): boolean => {
  const { epoch } = ack;
  if (epoch !== undefined) {
    const others = [...log.leaders, ...log.reads, ...log.snapshots].map((line) => line.epoch);
    return [...others, ...log.ackEpochs].some((other) => other !== undefined && other > epoch);
  }
  return newLeaderLines(log).some(
    (line) => line.line > ack.line || ack.atMs - line.atMs <= log.contract.deliveryTimeoutMs,
  );
};

/** "whose read epoch (or, without one, that of its own untainted ack at that offset)" */
const epochOfSurvivor = (read: Read): number | undefined => {
  if (read.epoch !== undefined) return read.epoch;
  const record = read.sent;
  if (record === undefined || record.tainted || record.partition !== read.partition) return undefined;
  return record.ack?.offset === read.offset ? record.ack.epoch : undefined;
};

/**
 * 14 g, second half: "a truncation only cuts a suffix: not explained if a record survives at a higher offset whose read
 * epoch … is ≤ the ack's epoch, or if its offset lies in an `offset-gap` (rule 11) between two reads that name the same
 * epoch (each where known)."
 */
const isRefuted = (log: Partition, ack: Acknowledgement): boolean => {
  const { offset, epoch } = ack;
  if (offset === undefined) return false;
  const survives = log.reads.some((read) => {
    const surviving = epochOfSurvivor(read);
    return read.offset > offset && surviving !== undefined && epoch !== undefined && surviving <= epoch;
  });
  const isInHole = holesOf(log).some(
    (hole) =>
      hole.first <= offset &&
      offset <= hole.last &&
      hole.before.epoch !== undefined &&
      hole.before.epoch === hole.after.epoch,
  );
  return survives || isInHole;
};

/** 14 g: "it must be explained by a truncation … Explained: legal; else illegal", in doubt where no leader is recorded. */
const byTruncation = (log: Partition, ack: Acknowledgement): Lawfulness => {
  if (isRefuted(log, ack)) return ILLEGAL;
  if (leaderChangedAfter(log, ack)) return LEGAL;
  return log.leaders.length === 0 ? DOUBTFUL : ILLEGAL;
};

/** 14: the first clause that applies to the loss of what `ack` acknowledged. `ofResetTopic` is for clause b. */
export const lossOf = (log: Partition, ack: Acknowledgement, ofResetTopic = false): Lawfulness => {
  const { contract } = log;
  if (contract.acks === 0) return LEGAL; // a
  if (ofResetTopic) return ILLEGAL; // b
  if (contract.boundary === 'wal' || contract.boundary === 'object') return ILLEGAL; // c
  const nodeLoss = byNodeLoss(log, ack); // d
  if (nodeLoss !== undefined) return nodeLoss;
  if (hasOneReplica(log)) return ILLEGAL; // e
  if (contract.acks === 'all' && contract.minInSyncReplicas >= 2 && !mayElectUnclean(log)) return ILLEGAL; // f
  return byTruncation(log, ack); // g
};

/** "`lost-write` in a topic whose `cleanup.policy` contains compact is legal, unless `uniqueKeys`." */
export const lostWriteOf = (log: Partition, ack: Acknowledgement): Lawfulness =>
  isCompacted(log) && !log.contract.uniqueKeys ? LEGAL : lossOf(log, ack);

/**
 * "with `retention.ms` if the record was sent at least that long before the last snapshot (without one, the last line), or
 * where only a pass's `from` is above it (untrusted: where the log start is above each snapshot's `earliest`)". Without a
 * snapshot only a pass can show the log start, so that the last line never decides.
 */
const isPastRetention = (log: Partition, record: SentRecord): boolean => {
  const retentionMs = Number(log.topic.config['retention.ms'] ?? Number.NaN);
  if (!(retentionMs >= 0)) return false; // NaN: not set; −1: kept for ever
  const last = log.snapshots.at(-1);
  if (last !== undefined && last.atMs - record.sendAtMs >= retentionMs) return true;
  const offset = record.ack?.offset;
  const logStart = logStartOf(log);
  return log.snapshots.every(({ earliest }) => (offset === undefined ? logStart > earliest : earliest <= offset));
};

/** "`lost-prefix`: legal with retention …; with `retention.bytes` > 0 or `deleteRecords`; with compact unless `uniqueKeys`" */
export const mayHaveLostPrefix = (log: Partition, record: SentRecord): boolean =>
  isPastRetention(log, record) ||
  Number(log.topic.config['retention.bytes'] ?? 0) > 0 ||
  log.contract.deleteRecords ||
  (isCompacted(log) && !log.contract.uniqueKeys);
