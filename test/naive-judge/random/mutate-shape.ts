// Mutators of how a history is written down: one outcome over several sends, several over one, `pass` lines above or below all
// that they cover, what recorders write that clusters do not. Most leave the run as it was.
import type { Random } from '../../../src/random.ts';
import { indexesOf, isSamePartition, moveLine, pickLine, recordIdOf, removeLine } from './edit-lines.ts';
import { chance, choose, type Line } from './line.ts';
import type { Mutator } from './mutate-reads.ts';

/** One outcome becomes two, the second for the last records alone. */
const splitOutcome: Mutator = (lines, random) => {
  const outcome = pickLine(lines, random, random.pick(['ack', 'ack', 'error']), ({ count = 1 }) => count > 1);
  if (outcome?.count === undefined || outcome.seq === undefined) return;
  const head = 1 + random.integer(outcome.count - 1);
  const tail: Line = { ...outcome, seq: outcome.seq + head, count: outcome.count - head };
  if (outcome.offset !== undefined) tail.offset = outcome.offset + head;
  outcome.count = head;
  lines.splice(lines.indexOf(outcome) + 1, 0, tail);
  if (chance(random, 0.3)) tail.tainted = true;
  if (chance(random, 0.2)) removeLine(lines, tail);
};

const isSameLane = (one: Line, two: Line): boolean =>
  one.producer === two.producer &&
  (one.incarnation ?? 0) === (two.incarnation ?? 0) &&
  isSamePartition(one, two) &&
  one.epoch === two.epoch &&
  one.tainted === two.tainted &&
  one.attempts === two.attempts;

/** The acknowledgements of two batches that stand one after the other become one. */
const joinAcks: Mutator = (lines, random) => {
  const first = pickLine(lines, random, 'ack');
  if (first?.seq === undefined) return;
  const next = first.seq + (first.count ?? 1);
  const second = pickLine(lines, random, 'ack', (line) => isSameLane(line, first) && line.seq === next);
  if (second === undefined || lines.indexOf(second) < lines.indexOf(first)) return;
  removeLine(lines, first);
  second.seq = first.seq;
  second.offset = first.offset;
  second.count = (first.count ?? 1) + (second.count ?? 1);
};

/** All `pass` lines stand above their reads, or all below them. */
const gatherPassLines: Mutator = (lines, random) => {
  const passes = indexesOf(lines, 'pass').map((index) => lines[index] as Line);
  const isAbove = chance(random, 0.5);
  const first = lines.findIndex((line) => line.t === 'read' || line.t === 'pass');
  for (const pass of passes) removeLine(lines, pass);
  lines.splice(isAbove ? Math.max(1, first) : lines.length, 0, ...passes);
};

const writeSentinelAgain: Mutator = (lines, random) => {
  const sentinel = pickLine(lines, random, 'sentinel');
  if (sentinel === undefined) return;
  const again = { ...sentinel, offset: Math.max(0, (sentinel.offset ?? 0) + random.pick([-2, -1, 1])) };
  lines.splice(lines.indexOf(sentinel) + 1, 0, again);
};

const countNoAttempt: Mutator = (lines, random) => {
  const outcome = pickLine(lines, random, random.pick(['ack', 'error']));
  if (outcome !== undefined) outcome.attempts = 0;
};

/** A record that was read names a partition that there is not. */
const nameNoPartition: Mutator = (lines, random) => {
  const read = pickLine(lines, random, 'read', (line) => recordIdOf(line) !== undefined);
  const id = read === undefined ? undefined : recordIdOf(read);
  if (read !== undefined && id !== undefined) read.id = { ...id, partition: 9 };
};

const bumpProducerEpoch: Mutator = (lines, random) => {
  const read = pickLine(lines, random, 'read', (line) => line.producerId !== undefined);
  if (read !== undefined) read.producerEpoch = choose(random, [1, -1, undefined]);
};

/** Nobody led the partition for a while, mostly until a fault. */
const loseLeader: Mutator = (lines, random) => {
  const leader = pickLine(lines, random, 'leader');
  const fault = pickLine(lines, random, 'fault');
  if (leader === undefined) return;
  const none = { ...leader, leader: -1 };
  lines.splice(lines.indexOf(leader) + 1, 0, none);
  if (fault !== undefined && chance(random, 0.7)) moveLine(lines, none, lines.indexOf(fault));
};

const countsOfReads = (random: Random): number => 2 + random.integer(3);

/** Foreign, sentinel and control records come in runs too. */
const widenNameless: Mutator = (lines, random) => {
  const read = pickLine(lines, random, 'read', (line) => recordIdOf(line) === undefined && line.count === undefined);
  if (read !== undefined) read.count = countsOfReads(random);
};

/** How often each is chosen against the others of all lists, and the mutator. */
export const SHAPE_MUTATORS: readonly (readonly [number, Mutator])[] = [
  [6, splitOutcome],
  [5, joinAcks],
  [6, gatherPassLines],
  [3, writeSentinelAgain],
  [2, countNoAttempt],
  [2, nameNoPartition],
  [3, bumpProducerEpoch],
  [4, loseLeader],
  [3, widenNameless],
];
