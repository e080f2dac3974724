// The passes of a random run: what fresh readers return, in one range or several, to the end or not.
import { type Cluster, type Entry, type Log, topicField } from './cluster.ts';
import { chance, type Line, maybe, type RecordId, weighted } from './line.ts';

/** A `read` line for one entry. */
const readOf = (cluster: Cluster, log: Log, pass: number, entry: Entry): Line => {
  const { random, plan } = cluster;
  const { id } = entry;
  return {
    t: 'read',
    pass,
    topic: topicField(cluster, log),
    partition: log.partition,
    offset: entry.offset,
    id:
      id === undefined
        ? undefined
        : {
            ...id,
            incarnation: id.incarnation === 0 ? undefined : id.incarnation,
            run: id.run ?? maybe(random, 0.05, 'r1'),
          },
    epoch: chance(random, plan.recorded.readEpochs) ? entry.epoch : maybe(random, 0.03, -1),
    checksum: maybe(random, 0.03, 'ok'),
    sentinel: entry.kind === 'sentinel' ? true : undefined,
    control: entry.kind === 'control' ? true : undefined,
    ...(entry.producerId !== undefined && chance(random, plan.recorded.producerIds)
      ? { producerId: entry.producerId, producerEpoch: 0 }
      : {}),
  };
};

/** True if the second line can be told as one more record of the first. */
const continues = (line: Line, next: Line): boolean => {
  const count = line.count ?? 1;
  const id = line.id as RecordId | undefined;
  const nextId = next.id as RecordId | undefined;
  if (id === undefined || nextId === undefined) return false;
  return (
    next.offset === (line.offset ?? 0) + count &&
    nextId.seq === id.seq + count &&
    nextId.producer === id.producer &&
    nextId.incarnation === id.incarnation &&
    nextId.run === id.run &&
    next.epoch === line.epoch &&
    next.checksum === line.checksum &&
    next.producerId === line.producerId
  );
};

const joinReads = (reads: readonly Line[]): Line[] => {
  const joined: Line[] = [];
  for (const read of reads) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, read)) last.count = (last.count ?? 1) + 1;
    else joined.push(read);
  }
  return joined;
};

const readRange = (cluster: Cluster, log: Log, pass: number, from: number, position: number, end: string): void => {
  const reads = log.entries
    .filter((entry) => from <= entry.offset && entry.offset < position)
    .map((entry) => readOf(cluster, log, pass, entry));
  cluster.lines.push(...joinReads(reads), {
    t: 'pass',
    pass,
    topic: topicField(cluster, log),
    partition: log.partition,
    from,
    position,
    end,
  });
};

/** A place in a log, its two ends included. */
const somewhere = (cluster: Cluster, log: Log): number => log.start + cluster.random.integer(log.end - log.start + 1);

const readTwoRanges = (cluster: Cluster, log: Log, pass: number): void => {
  const [low, middle, high] = [somewhere(cluster, log), somewhere(cluster, log), somewhere(cluster, log)].sort(
    (one, two) => one - two,
  );
  if (low === undefined || middle === undefined || high === undefined) return;
  readRange(cluster, log, pass, low, middle, cluster.random.pick(['range', 'range', 'timeout', 'out-of-range']));
  if (chance(cluster.random, 0.5)) readRange(cluster, log, pass, high, log.end, 'complete');
  else readRange(cluster, log, pass, middle, high, 'range');
};

/** One pass over one partition. */
export const replay = (cluster: Cluster, log: Log, pass: number): void => {
  const { random } = cluster;
  const way = weighted(random, [
    [80, 'full'],
    [6, 'ranges'],
    [5, 'timeout'],
    [4, 'none'],
    [5, 'from-zero'],
  ]);
  if (way === 'full') readRange(cluster, log, pass, log.start, log.end, 'complete');
  if (way === 'from-zero') readRange(cluster, log, pass, 0, log.end, 'complete');
  if (way === 'timeout') readRange(cluster, log, pass, log.start, somewhere(cluster, log), 'timeout');
  if (way === 'ranges') readTwoRanges(cluster, log, pass);
};
