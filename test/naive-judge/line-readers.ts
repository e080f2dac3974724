// One function for each kind of line: checks it against what stands above it and takes it in.
import type { FaultEdge, Outcome, PassEnd, SnapshotMoment } from '../../src/vocabulary.ts';
import type { Acknowledgement, EpochStart, Partition, SentRecord } from './history.ts';
import type { Fields } from './line-shapes.ts';
import { outcomeOfError } from './outcome-of-error.ts';
import { key, MalformedLine, type Progress, partitionOf, presentNumber } from './progress.ts';

/** The ids of the records that a `send`, `ack` or `error` line is about, in their order. */
const recordKeys = (partition: Partition, fields: Fields): { seq: number; name: string }[] => {
  const first = fields['seq'] as number;
  return Array.from({ length: (fields['count'] ?? 1) as number }, (_, index) => ({
    seq: first + index,
    name: key(
      partition.topic.topic,
      partition.partition,
      fields['producer'],
      fields['incarnation'] ?? 0,
      first + index,
    ),
  }));
};

const readSend = (progress: Progress, fields: Fields, line: number): void => {
  const partition = partitionOf(progress, fields, line);
  for (const { seq, name } of recordKeys(partition, fields)) {
    if (progress.records.has(name)) throw new MalformedLine(line, 'a second send of a record');
    const record: SentRecord = {
      topic: partition.topic.topic,
      partition: partition.partition,
      producer: fields['producer'] as string,
      incarnation: (fields['incarnation'] ?? 0) as number,
      seq,
      sendLine: line,
      sendAtMs: fields['at'] as number,
      outcome: 'unknown',
      hasOutcomeLine: false,
      attempts: 1,
      tainted: false,
      ack: undefined,
      reads: [],
    };
    progress.records.set(name, record);
    partition.sent.push(record);
  }
};

/** Gives the records of an `ack` or `error` line their outcome. acks=0 is never `ok`. */
const settle = (
  progress: Progress,
  fields: Fields,
  line: number,
  outcome: Outcome,
  ackOf: (index: number) => Acknowledgement,
): void => {
  const partition = partitionOf(progress, fields, line);
  for (const [index, { name }] of recordKeys(partition, fields).entries()) {
    const record = progress.records.get(name);
    if (record === undefined) throw new MalformedLine(line, 'an outcome without its send');
    if (record.hasOutcomeLine) throw new MalformedLine(line, 'a second outcome of a record');
    record.hasOutcomeLine = true;
    record.outcome = outcome === 'ok' && progress.contract.acks === 0 ? 'unknown' : outcome;
    record.attempts = (fields['attempts'] ?? 1) as number;
    record.tainted = fields['tainted'] === true;
    record.ack = record.outcome === 'ok' ? ackOf(index) : undefined;
  }
};

const readAck = (progress: Progress, fields: Fields, line: number): void => {
  const base = fields['offset'] as number | undefined;
  const epoch = presentNumber(fields['epoch']);
  settle(progress, fields, line, 'ok', (index) => ({
    line,
    atMs: fields['at'] as number,
    epoch,
    offset: base === undefined ? undefined : base + index,
  }));
  if (epoch !== undefined) partitionOf(progress, fields, line).ackEpochs.push(epoch);
};

const readError = (progress: Progress, fields: Fields, line: number): void => {
  const code = fields['code'] as number | undefined;
  if (code === 0) throw new MalformedLine(line, 'code 0 is no error');
  const attempt = {
    code,
    notSent: fields['notSent'] === true,
    tainted: fields['tainted'] === true,
    attempts: (fields['attempts'] ?? 1) as number,
  };
  settle(progress, fields, line, outcomeOfError(attempt, progress.contract.profile), () => ({
    line,
    atMs: fields['at'] as number,
    offset: undefined,
    epoch: undefined,
  }));
};

const readLeader = (progress: Progress, fields: Fields, line: number): void => {
  const leader = presentNumber(fields['leader']);
  const epoch = presentNumber(fields['epoch']);
  partitionOf(progress, fields, line).leaders.push({ line, atMs: fields['at'] as number, leader, epoch });
};

const readFault = (progress: Progress, fields: Fields, line: number): void => {
  progress.faults.push({
    line,
    fault: fields['fault'] as string,
    id: (fields['id'] ?? fields['fault']) as string,
    edge: fields['edge'] as FaultEdge,
    victims: fields['victims'] as readonly number[] | undefined,
    mechanismOnly: fields['require'] === 'mechanism',
  });
};

const readOffsets = (progress: Progress, fields: Fields, line: number): void => {
  partitionOf(progress, fields, line).snapshots.push({
    line,
    atMs: fields['at'] as number,
    when: fields['when'] as SnapshotMoment,
    earliest: fields['earliest'] as number,
    latest: fields['latest'] as number,
    topicId: fields['topicId'] as string | undefined,
    epoch: presentNumber(fields['epoch']),
  });
};

const readSentinel = (progress: Progress, fields: Fields, line: number): void => {
  partitionOf(progress, fields, line).sentinels.push({ line, offset: fields['offset'] as number });
};

/** The pass that a `read` or `pass` line names, entered in the order of first appearance. */
const passOf = (progress: Progress, fields: Fields): string => {
  const pass = key(fields['pass']);
  if (!progress.passes.includes(pass)) progress.passes.push(pass);
  return pass;
};

const readRead = (progress: Progress, fields: Fields, line: number): void => {
  const partition = partitionOf(progress, fields, line);
  const isPlain = fields['sentinel'] !== true && fields['control'] !== true;
  if (!isPlain && fields['id'] !== undefined) throw new MalformedLine(line, 'an id on a sentinel or control read');
  const pass = passOf(progress, fields);
  const range = progress.rangesSoFar.get(key(pass, partition.topic.topic, partition.partition)) ?? 0;
  progress.readLines.push({ fields, partition, pass, range });
};

const readPass = (progress: Progress, fields: Fields, line: number): void => {
  const partition = partitionOf(progress, fields, line);
  const pass = passOf(progress, fields);
  const from = fields['from'] as number;
  const position = fields['position'] as number;
  const overlaps = partition.ranges.some(
    (other) => other.pass === pass && Math.max(other.from, from) < Math.min(other.position, position),
  );
  if (overlaps) throw new MalformedLine(line, 'two ranges of one pass overlap');
  partition.ranges.push({ pass, from, position, end: fields['end'] as PassEnd });
  const name = key(pass, partition.topic.topic, partition.partition);
  progress.rangesSoFar.set(name, (progress.rangesSoFar.get(name) ?? 0) + 1);
};

/** kind of line → what takes it in. Each throws MalformedLine. */
export const LINE_READERS: Readonly<Record<string, (progress: Progress, fields: Fields, line: number) => void>> = {
  history: (_, __, line) => {
    throw new MalformedLine(line, 'a second header');
  },
  send: readSend,
  ack: readAck,
  error: readError,
  leader: readLeader,
  fault: readFault,
  harness: (progress) => {
    progress.harnessLines++;
  },
  offsets: readOffsets,
  epochs: (progress, fields, line) => {
    partitionOf(progress, fields, line).epochs.push(fields['starts'] as readonly EpochStart[]);
  },
  sentinel: readSentinel,
  read: readRead,
  pass: readPass,
};
