// Mutators of what the run recorded besides its passes: acknowledgements, errors, leaders, snapshots, faults, contract.
import { indexesOf, isSamePartition, moveLine, pickLine, removeLine, removeLines } from './edit-lines.ts';
import { chance, choose, type Line } from './line.ts';
import type { Mutator } from './mutate-reads.ts';
import { JUDGED_ANOMALIES } from './plan.ts';

const hasOffset = (line: Line): boolean => line.offset !== undefined;

const shiftAckOffsets: Mutator = (lines, random) => {
  const by = random.pick([-1, 1, 2]);
  const one = pickLine(lines, random, 'ack', hasOffset);
  const isAll = chance(random, 0.4);
  for (const index of indexesOf(lines, 'ack', (line) => hasOffset(line) && (isAll || line === one))) {
    const ack = lines[index] as Line;
    ack.offset = (ack.offset ?? 0) + by;
  }
};

const zeroAckOffset: Mutator = (lines, random) => {
  const ack = pickLine(lines, random, 'ack', hasOffset);
  if (ack !== undefined) ack.offset = random.pick([0, 0, -1]);
};

const repeatAckOffset: Mutator = (lines, random) => {
  const one = pickLine(lines, random, 'ack', hasOffset);
  const two = pickLine(
    lines,
    random,
    'ack',
    (line) => hasOffset(line) && one !== undefined && isSamePartition(line, one),
  );
  if (one !== undefined && two !== undefined) two.offset = one.offset;
};

const distrustAck: Mutator = (lines, random) => {
  const ack = pickLine(lines, random, 'ack');
  if (ack !== undefined) ack.offset = undefined;
};

const taint: Mutator = (lines, random) => {
  const outcome = pickLine(lines, random, random.pick(['ack', 'ack', 'error']));
  if (outcome === undefined) return;
  outcome.tainted = outcome.tainted !== true;
  outcome.attempts = outcome.tainted ? 2 : 1;
};

/** An acknowledged, and so mostly visible, batch was refused. */
const refuseAcknowledged: Mutator = (lines, random) => {
  const ack = pickLine(lines, random, 'ack');
  if (ack === undefined) return;
  ack.t = 'error';
  ack.offset = undefined;
  ack.epoch = undefined;
  const code = choose(random, [10, 19, 19, 87, 7, 46, undefined]);
  if (code === undefined) ack.notSent = true;
  else ack.code = code;
};

/** An error was an acknowledgement: mostly of something that is nowhere. */
const acknowledgeError: Mutator = (lines, random) => {
  const error = pickLine(lines, random, 'error');
  if (error === undefined) return;
  error.t = 'ack';
  error.code = undefined;
  error.notSent = undefined;
  if (chance(random, 0.7)) error.offset = random.integer(12);
};

const dropOutcome: Mutator = (lines, random) => {
  const outcome = pickLine(lines, random, random.pick(['ack', 'error']));
  if (outcome !== undefined) removeLine(lines, outcome);
};

/** An outcome arrived later than it did. */
const delayOutcome: Mutator = (lines, random) => {
  const ack = pickLine(lines, random, 'ack');
  if (ack !== undefined) moveLine(lines, ack, lines.indexOf(ack) + 1 + random.integer(8));
};

/** A batch was sent later: at most just before its outcome. */
const delaySend: Mutator = (lines, random) => {
  const send = pickLine(lines, random, 'send');
  if (send === undefined) return;
  const from = lines.indexOf(send);
  const outcome = lines.findIndex(
    (line, index) =>
      index > from &&
      (line.t === 'ack' || line.t === 'error') &&
      line.producer === send.producer &&
      line.seq === send.seq &&
      isSamePartition(line, send),
  );
  moveLine(lines, send, outcome === -1 ? from + 4 : outcome - 1);
};

const changeAckEpoch: Mutator = (lines, random) => {
  const ack = pickLine(lines, random, 'ack');
  if (ack !== undefined)
    ack.epoch = choose(random, [undefined, 0, 3, (ack.epoch ?? 1) + 1, Math.max(-1, (ack.epoch ?? 1) - 1)]);
};

const dropLines: Mutator = (lines, random) => {
  const kind = random.pick(['leader', 'leader', 'offsets', 'sentinel', 'fault', 'harness']);
  const one = pickLine(lines, random, kind);
  if (one === undefined) return;
  if (chance(random, 0.6)) removeLine(lines, one);
  else removeLines(lines, kind);
};

const changeLeader: Mutator = (lines, random) => {
  const leader = pickLine(lines, random, 'leader');
  if (leader === undefined) return;
  if (chance(random, 0.5)) leader.leader = random.pick([-1, 1, 2, 3]);
  else moveLine(lines, leader, 1 + random.integer(lines.length));
};

const moveSnapshot: Mutator = (lines, random) => {
  const snapshot = pickLine(lines, random, random.pick(['offsets', 'offsets', 'sentinel']));
  if (snapshot !== undefined) moveLine(lines, snapshot, lines.indexOf(snapshot) + random.pick([-6, -3, -1, 2, 4, 8]));
};

const changeSnapshot: Mutator = (lines, random) => {
  const snapshot = pickLine(lines, random, 'offsets');
  if (snapshot?.latest === undefined || snapshot.earliest === undefined) return;
  const what = random.integer(6);
  if (what <= 1) snapshot.latest = Math.max(0, snapshot.latest + random.pick([-3, -2, -1, 1, 2]));
  if (what === 2) snapshot.earliest = Math.max(0, snapshot.earliest + random.pick([-1, 1, 2, 3]));
  if (what === 3)
    snapshot.when = random.pick(['baseline', 'before-fault', 'after-heal', 'after-producers', 'after-replay']);
  if (what === 4) snapshot.epoch = choose(random, [undefined, -1, 0, (snapshot.epoch ?? 0) + 1]);
  if (what === 5) snapshot.topicId = choose(random, ['another', undefined]);
};

/** The log was made anew in the middle: another topic id from there on, or an end below the one it began with. */
const resetLog: Mutator = (lines, random) => {
  const snapshot = pickLine(lines, random, 'offsets', (line) => line.when !== 'baseline');
  if (snapshot === undefined) return;
  const isThere = (line: Line): boolean => isSamePartition(line, snapshot);
  if (chance(random, 0.5)) {
    const baseline = pickLine(lines, random, 'offsets', (line) => line.when === 'baseline' && isThere(line));
    if (baseline !== undefined) baseline.latest = (snapshot.latest ?? 0) + 1 + random.integer(10);
  } else {
    const since = lines.indexOf(snapshot);
    for (const index of indexesOf(lines, 'offsets', isThere)) {
      (lines[index] as Line).topicId = index < since ? 'old' : 'new';
    }
  }
  if (chance(random, 0.8)) removeLines(lines, 'read', isThere);
};

const changeFault: Mutator = (lines, random) => {
  const edge = pickLine(lines, random, 'fault');
  if (edge === undefined) return;
  if (chance(random, 0.5)) edge.edge = random.pick(['applied', 'confirmed', 'unconfirmed', 'heal-failed']);
  else moveLine(lines, edge, 1 + random.integer(lines.length));
};

/** The same run is judged under another contract. */
const changeContract: Mutator = (lines, random) => {
  const header = lines[0];
  if (header === undefined) return;
  const change = random.pick([
    { acks: 1 },
    { acks: 'all', minInSyncReplicas: 2 },
    { minInSyncReplicas: 1 },
    { boundary: random.pick(['wal', 'object', 'leader']) },
    { idempotence: header.contract?.['idempotence'] !== true },
    { uncleanLeaderElection: true },
    { laggingReads: true },
    { deleteRecords: true },
    { transactions: true },
    { forbid: [random.pick(JUDGED_ANOMALIES)] },
    { allow: [{ anomaly: random.pick(JUDGED_ANOMALIES), because: 'known defect' }] },
  ]);
  header.contract = { ...header.contract, ...change };
};

/** A time limit is exactly as long as something took. */
const touchTimeLimit: Mutator = (lines, random) => {
  const header = lines[0];
  const ack = pickLine(lines, random, 'ack');
  const leader = pickLine(lines, random, 'leader');
  const send = pickLine(lines, random, 'send');
  const last = lines.findLast((line) => line.t === 'offsets');
  if (header === undefined) return;
  if (ack?.at !== undefined && leader?.at !== undefined) {
    header.contract = { ...header.contract, deliveryTimeout: Math.max(0, ack.at - leader.at) };
  }
  if (send?.at !== undefined && last?.at !== undefined) {
    const config = { 'retention.ms': Math.max(0, last.at - send.at) };
    header.topics = header.topics?.map((topic) => ({ ...topic, config }));
  }
};

const swapPasses: Mutator = (lines, random) => {
  const [one, two] = random.shuffle([1, 2, 3]);
  for (const line of lines) {
    if (line.pass === one) line.pass = two;
    else if (line.pass === two) line.pass = one;
  }
};

/** How often each is chosen against the others of both lists, and the mutator. */
export const RUN_MUTATORS: readonly (readonly [number, Mutator])[] = [
  [5, shiftAckOffsets],
  [2, zeroAckOffset],
  [6, repeatAckOffset],
  [2, distrustAck],
  [5, taint],
  [6, refuseAcknowledged],
  [3, acknowledgeError],
  [3, dropOutcome],
  [3, delayOutcome],
  [5, delaySend],
  [4, changeAckEpoch],
  [5, dropLines],
  [4, changeLeader],
  [5, moveSnapshot],
  [8, changeSnapshot],
  [8, resetLog],
  [2, changeFault],
  [6, changeContract],
  [4, touchTimeLimit],
  [1, swapPasses],
];
