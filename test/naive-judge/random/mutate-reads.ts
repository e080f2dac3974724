// Mutators of what the passes return: each breaks the log, or a reader, in one way.
import type { Random } from '../../../src/random.ts';
import {
  indexesOf,
  isolateAllReadsOf,
  isolateRead,
  isSamePartition,
  isSameTopic,
  pickLine,
  rangeEndOf,
  recordIdOf,
  removeLine,
  removeLines,
} from './edit-lines.ts';
import { chance, choose, type Line } from './line.ts';

/** Changes a history in one way; does nothing where it finds nothing to change. */
export type Mutator = (lines: Line[], random: Random) => void;

const hasId = (line: Line): boolean => recordIdOf(line) !== undefined;

const dropRecordFromOnePass: Mutator = (lines, random) => {
  const read = isolateRead(lines, random);
  if (read !== undefined) removeLine(lines, read);
};

const dropRecordEverywhere: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  if (read !== undefined) for (const shown of isolateAllReadsOf(lines, read)) removeLine(lines, shown);
};

/** A batch that was acknowledged without a trusted offset is nowhere. */
const loseUntrusted: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  const id = read === undefined ? undefined : recordIdOf(read);
  if (read === undefined || id === undefined) return;
  for (const shown of isolateAllReadsOf(lines, read)) removeLine(lines, shown);
  const isIts = ({ producer, seq = 0, count = 1 }: Line): boolean =>
    producer === id.producer && seq <= id.seq && id.seq < seq + count;
  for (const index of indexesOf(lines, 'ack', (ack) => isSamePartition(ack, read) && isIts(ack))) {
    (lines[index] as Line).offset = undefined;
  }
};

/** Keeps of the wanted reads only what is below an offset. */
const cutReads = (lines: Line[], offset: number, isWanted: (line: Line) => boolean): void => {
  removeLines(lines, 'read', (line) => isWanted(line) && (line.offset ?? 0) >= offset);
  for (const index of indexesOf(lines, 'read', isWanted)) {
    const read = lines[index] as Line;
    const kept = offset - (read.offset ?? 0);
    if (kept < (read.count ?? 1)) read.count = kept;
  }
};

/** Lets the wanted passes stop at an offset. */
const cutPasses = (lines: Line[], offset: number, isWanted: (line: Line) => boolean): void => {
  for (const index of indexesOf(lines, 'pass', isWanted)) {
    const { from = 0, position = 0 } = lines[index] as Line;
    (lines[index] as Line).position = Math.max(from, Math.min(position, offset));
  }
};

/** A pass ends earlier than it did, or reads nothing towards its end. */
const dropTail: Mutator = (lines, random) => {
  const pass = pickLine(lines, random, 'pass');
  if (pass?.position === undefined) return;
  const cut = pass.position - 1 - random.integer(3);
  const isEverywhere = chance(random, 0.5);
  const isCut = (line: Line): boolean => isSamePartition(line, pass) && (isEverywhere || line.pass === pass.pass);
  cutReads(lines, cut, isCut);
  if (chance(random, 0.6)) cutPasses(lines, cut, isCut);
};

const duplicateRecord: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  if (read === undefined) return;
  const end = rangeEndOf(lines, read);
  const copies = chance(random, 0.5) ? [read] : isolateAllReadsOf(lines, read);
  for (const copy of copies) {
    const range = rangeEndOf(lines, copy) ?? end;
    if (range?.position === undefined) continue;
    const again = { ...copy, offset: range.position };
    if (chance(random, 0.3) && again.producerId !== undefined) again.producerId += 1;
    lines.splice(lines.indexOf(range), 0, again);
    range.position++;
  }
};

const swapRecords: Mutator = (lines, random) => {
  const one = isolateRead(lines, random);
  if (one === undefined) return;
  const two = isolateRead(lines, random, (line) => line.pass === one.pass && isSamePartition(line, one));
  if (two === undefined) return;
  [one.id, two.id] = [two.id, one.id];
  [one.sentinel, two.sentinel] = [two.sentinel, one.sentinel];
  [one.control, two.control] = [two.control, one.control];
};

const showInWrongPartition: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  const place = pickLine(
    lines,
    random,
    'pass',
    (line) => read !== undefined && line.partition !== read.partition && isSameTopic(line, read),
  );
  const id = read === undefined ? undefined : recordIdOf(read);
  if (read === undefined || place?.position === undefined || id === undefined) return;
  const moved = {
    ...read,
    pass: place.pass,
    partition: place.partition,
    offset: place.position,
    id: { ...id, partition: id.partition ?? read.partition },
  };
  lines.splice(lines.indexOf(place), 0, moved);
  place.position++;
  if (chance(random, 0.6)) removeLine(lines, read);
};

const showGhost: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  const id = read === undefined ? undefined : recordIdOf(read);
  if (read === undefined || id === undefined) return;
  read.id = choose(random, [
    { ...id, seq: id.seq + 50 },
    { ...id, producer: 'p9' },
    { ...id, incarnation: 7 },
    { ...id, run: 'r0' },
    undefined,
  ]);
};

/** Another record of the run stands where this one stood. */
const overwrite: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, hasId);
  const other = pickLine(lines, random, 'send', (line) => read !== undefined && isSamePartition(line, read));
  if (read === undefined || other?.producer === undefined) return;
  const id = { producer: other.producer, incarnation: other.incarnation, seq: other.seq ?? 0 };
  const reads = chance(random, 0.5) ? [read] : isolateAllReadsOf(lines, read);
  for (const shown of reads) shown.id = { ...id };
};

const corrupt: Mutator = (lines, random) => {
  const read = isolateRead(lines, random);
  if (read === undefined) return;
  const reads = chance(random, 0.5) ? [read] : isolateAllReadsOf(lines, read);
  for (const shown of reads) shown.checksum = 'bad';
};

const lowerReadEpochs: Mutator = (lines, random) => {
  const read = isolateRead(lines, random, (line) => (line.epoch ?? -1) >= 0);
  if (read === undefined) return;
  const { epoch } = read;
  const reads = chance(random, 0.5) ? [read] : isolateAllReadsOf(lines, read);
  for (const shown of reads) shown.epoch = Math.max(0, (epoch ?? 0) - 1 - random.integer(3));
};

const readAgain: Mutator = (lines, random) => {
  const read = pickLine(lines, random, 'read');
  const end = read === undefined ? undefined : rangeEndOf(lines, read);
  if (read === undefined || end === undefined) return;
  const from = lines.indexOf(read);
  const to = from + 1 + random.integer(lines.indexOf(end) - from);
  lines.splice(to, 0, { ...read });
};

const moveReads: Mutator = (lines, random) => {
  const read = isolateRead(lines, random);
  if (read?.offset === undefined) return;
  const by = random.pick([1, 1, 2, -1]);
  const isLater = chance(random, 0.5);
  for (const index of indexesOf(lines, 'read', (line) => line.pass === read.pass && isSamePartition(line, read))) {
    const line = lines[index] as Line;
    if (line === read || (isLater && (line.offset ?? 0) > read.offset))
      line.offset = Math.max(0, (line.offset ?? 0) + by);
  }
};

const changePassEnd: Mutator = (lines, random) => {
  const pass = pickLine(lines, random, 'pass');
  if (pass !== undefined) pass.end = random.pick(['timeout', 'out-of-range', 'range', 'complete']);
};

const movePassEdges: Mutator = (lines, random) => {
  const pass = pickLine(lines, random, 'pass');
  if (pass?.from === undefined || pass.position === undefined) return;
  if (chance(random, 0.5)) pass.position = Math.max(pass.from, pass.position + random.pick([-2, -1, 1, 2]));
  else pass.from = Math.max(0, Math.min(pass.position, pass.from + random.pick([-2, -1, 1, 2])));
};

const dropPass: Mutator = (lines, random) => {
  const pass = pickLine(lines, random, 'pass');
  if (pass === undefined) return;
  const isItsRead = (line: Line): boolean => line.pass === pass.pass && isSamePartition(line, pass);
  if (chance(random, 0.7)) removeLines(lines, 'read', isItsRead);
  removeLine(lines, pass);
};

const forgetReadEpochs: Mutator = (lines, random) => {
  const read = isolateRead(lines, random);
  if (read !== undefined) read.epoch = undefined;
};

/** Reads of several partitions and passes come in between each other. */
const interleave: Mutator = (lines, random) => {
  for (let swap = 0; swap < 20; swap++) {
    const index = random.integer(lines.length - 1);
    const [one, two] = [lines[index], lines[index + 1]];
    if (one?.pass === undefined || two?.pass === undefined) continue;
    if (one.pass === two.pass && isSamePartition(one, two)) continue;
    lines[index] = two;
    lines[index + 1] = one;
  }
};

/** How often each is chosen against the others of both lists, and the mutator. */
export const READ_MUTATORS: readonly (readonly [number, Mutator])[] = [
  [6, dropRecordFromOnePass],
  [7, dropRecordEverywhere],
  [3, loseUntrusted],
  [6, dropTail],
  [7, duplicateRecord],
  [6, swapRecords],
  [10, showInWrongPartition],
  [5, showGhost],
  [6, overwrite],
  [3, corrupt],
  [5, lowerReadEpochs],
  [5, readAgain],
  [5, moveReads],
  [4, changePassEnd],
  [4, movePassEdges],
  [2, dropPass],
  [2, forgetReadEpochs],
  [4, interleave],
];
