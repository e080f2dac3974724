// A correct toy log for property tests of the judge: producers append batches, and everything acknowledged stands where its
// acknowledgement said. Tests plant what is wrong into the lines that come of it.
import fc from 'fast-check';

export type Line = Readonly<Record<string, unknown>>;

/** One record in the log of a correct broker. */
export interface Stored {
  readonly producer: string;
  readonly seq: number;
}

export interface Model {
  readonly sends: readonly Line[];
  readonly acks: readonly Line[];
  readonly log: readonly Stored[];
}

const HEADER: Line = {
  t: 'history',
  version: 1,
  run: 'r1',
  contract: { acks: 'all', minInSyncReplicas: 2 },
  topics: [{ topic: 'orders', partitions: 1, replicationFactor: 3 }],
};

export interface Step {
  readonly producer: number;
  readonly count: number;
  readonly unknown: boolean;
}

/** Each producer has one batch in flight at a time, so a batch is appended and answered before its next one is sent. */
export const simulate = (steps: readonly Step[]): Model => {
  const log: Stored[] = [];
  const sends: Line[] = [];
  const acks: Line[] = [];
  const next = new Map<string, number>();
  steps.forEach(({ producer: index, count, unknown }, step) => {
    const producer = `p${index}`;
    const seq = next.get(producer) ?? 0;
    next.set(producer, seq + count);
    const run = { producer, partition: 0, seq, count };
    sends.push({ t: 'send', at: 10 * step, ...run });
    if (!unknown) acks.push({ t: 'ack', at: 10 * step + 5, ...run, offset: log.length });
    for (let each = 0; each < count; each++) log.push({ producer, seq: seq + each });
  });
  return { sends, acks, log };
};

export const readAll = (pass: number, log: readonly (Stored | undefined)[]): Line[] =>
  log.flatMap((stored, offset) =>
    stored === undefined ? [] : [{ t: 'read', pass, partition: 0, offset, id: { ...stored } }],
  );

export const passLine = (pass: number, position: number): Line => ({
  t: 'pass',
  pass,
  partition: 0,
  from: 0,
  position,
  end: 'complete',
});

export const textOf = ({ sends, acks }: Model, reads: readonly Line[]): string => {
  const timed = [...sends, ...acks].sort((one, other) => (one['at'] as number) - (other['at'] as number));
  return [HEADER, ...timed, ...reads].map((line) => JSON.stringify(line)).join('\n');
};

const step = fc.record({ producer: fc.nat(3), count: fc.integer({ min: 1, max: 6 }), unknown: fc.boolean() });
/** The first and the last step are acknowledged, so that there is something to prove at both ends. */
export const steps = fc
  .array(step, { minLength: 4, maxLength: 25 })
  .map((made) => made.map((one, index) => ({ ...one, unknown: one.unknown && index > 0 && index < made.length - 1 })));
export const model = steps.map(simulate);

/** Everything one pass shows of a whole log. */
export const whole = ({ log }: Model, pass = 1): Line[] => [...readAll(pass, log), passLine(pass, log.length)];
