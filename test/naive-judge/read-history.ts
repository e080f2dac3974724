// From the text of a history to plain data, line by line in order. The first malformed line ends it with its number.
import type { History, Partition, Read } from './history.ts';
import { LINE_READERS } from './line-readers.ts';
import { type Fields, hasShape, isObject, LINE_SHAPES } from './line-shapes.ts';
import { key, MalformedLine, type Progress, presentNumber, startOf } from './progress.ts';

type Shown = Pick<Read, 'kind' | 'identity' | 'sent'>;

/** What stands at the `index`-th offset of a `read` line. */
const shownBy = (progress: Progress, partition: Partition, fields: Fields, index: number): Shown => {
  if (fields['control'] === true) return { kind: 'control', identity: 'control', sent: undefined };
  if (fields['sentinel'] === true) return { kind: 'sentinel', identity: 'sentinel', sent: undefined };
  const id = fields['id'] as Fields | undefined;
  if (id === undefined) return { kind: 'foreign', identity: 'foreign', sent: undefined };
  const name = key(
    partition.topic.topic,
    id['partition'] ?? partition.partition,
    id['producer'],
    id['incarnation'] ?? 0,
    (id['seq'] as number) + index,
  );
  const run = id['run'] ?? progress.run;
  if (run !== progress.run) return { kind: 'foreign', identity: key(run, name), sent: undefined };
  return { kind: 'own', identity: name, sent: progress.records.get(name) };
};

const resolveReads = (progress: Progress): void => {
  for (const { fields, partition, pass, range } of progress.readLines) {
    for (let index = 0; index < ((fields['count'] ?? 1) as number); index++) {
      const read: Read = {
        pass,
        range,
        topic: partition.topic.topic,
        partition: partition.partition,
        offset: (fields['offset'] as number) + index,
        ...shownBy(progress, partition, fields, index),
        epoch: presentNumber(fields['epoch']),
        corrupt: fields['checksum'] === 'bad',
        producerId: presentNumber(fields['producerId']),
        producerEpoch: presentNumber(fields['producerEpoch']),
      };
      partition.reads.push(read);
      read.sent?.reads.push(read);
    }
  }
};

const parseLine = (text: string, line: number): { kind: string; fields: Fields } => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedLine(line, 'not JSON');
  }
  if (!isObject(value)) throw new MalformedLine(line, 'not an object');
  const { t: kind, ...fields } = value;
  const shape = typeof kind === 'string' && Object.hasOwn(LINE_SHAPES, kind) ? LINE_SHAPES[kind] : undefined;
  if (shape === undefined) throw new MalformedLine(line, 'unknown kind');
  if (!hasShape(fields, shape)) throw new MalformedLine(line, 'an unknown or missing field, or a wrong type');
  return { kind: kind as string, fields };
};

/** Reads a whole history. Throws MalformedLine. */
export const readHistory = (text: string): History => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const first = parseLine(lines[0] ?? '', 1);
  if (first.kind !== 'history') throw new MalformedLine(1, 'no header');
  const progress = startOf(first.fields);
  for (const [index, lineText] of lines.entries()) {
    if (index === 0) continue;
    const { kind, fields } = parseLine(lineText, index + 1);
    const at = fields['at'] as number | undefined;
    if (at !== undefined && at < progress.lastAtMs) throw new MalformedLine(index + 1, 'time goes back');
    if (at !== undefined) progress.lastAtMs = at;
    LINE_READERS[kind]?.(progress, fields, index + 1);
  }
  resolveReads(progress);
  const { contract, topics, partitions, faults, passes, harnessLines } = progress;
  return { contract, topics, partitions: [...partitions.values()], faults, passes, harnessLines };
};
