// Makes one line of a history malformed, in each of the ways that the format names.
import type { Random } from '../../../src/random.ts';
import { pickLine } from './edit-lines.ts';
import type { Line } from './line.ts';

/** Changes lines, or gives the text that stands in for one of them. */
type Malformation = (lines: (Line | string)[], line: Line, random: Random) => void;

const replace = (lines: (Line | string)[], line: Line, by: Line | string): void => {
  lines[lines.indexOf(line)] = by;
};

const insertBefore = (lines: (Line | string)[], line: Line, more: Line): void => {
  lines.splice(lines.indexOf(line), 0, more);
};

const firstBatch = (lines: readonly (Line | string)[]): Line | undefined =>
  lines.find((line): line is Line => typeof line !== 'string' && line.t === 'send');

const MALFORMATIONS: readonly Malformation[] = [
  (lines, line) => replace(lines, line, JSON.stringify({ ...line, colour: 'blue' })),
  (lines, line) => replace(lines, line, JSON.stringify({ ...line, t: 'sned' })),
  (lines, line) => replace(lines, line, JSON.stringify({ ...line, partition: '0' })),
  (lines, line) => replace(lines, line, JSON.stringify({ ...line, at: 'noon', pass: true })),
  (lines, line) => replace(lines, line, JSON.stringify(line).slice(0, -1)),
  (lines, line) => replace(lines, line, '[]'),
  (lines, line) => insertBefore(lines, line, { t: 'harness', at: -1, anomaly: 'clock-jump', detail: 'back' }),
  (lines) => void lines.shift(),
  (lines, line) => insertBefore(lines, line, lines[0] as Line),
  (lines, line) =>
    insertBefore(lines, line, { t: 'ack', at: 1_000_000, producer: 'p8', partition: 0, seq: 0, topic: 'orders' }),
  (lines, line) => insertBefore(lines, line, firstBatch(lines) ?? { t: 'nothing' }),
  (lines) => {
    const send = firstBatch(lines);
    if (send === undefined) return void lines.shift();
    const error = { ...send, at: 1_000_000, t: 'error', code: 0 };
    lines.push(error);
  },
  (lines) => {
    const send = firstBatch(lines);
    if (send !== undefined) lines.push({ ...send, at: 1_000_000, t: 'error' }, { ...send, at: 1_000_000, t: 'ack' });
    else lines.shift();
  },
  (lines, _, random) => {
    const mark = random.pick([{ sentinel: true }, { control: true }]);
    lines.push({
      t: 'read',
      pass: 1,
      topic: 'orders',
      partition: 0,
      offset: 3,
      id: { producer: 'p1', seq: 0 },
      ...mark,
    });
  },
  (lines) => {
    lines.push(
      { t: 'pass', pass: 9, topic: 'orders', partition: 0, from: 0, position: 3, end: 'range' },
      { t: 'pass', pass: 9, topic: 'orders', partition: 0, from: 2, position: 5, end: 'complete' },
    );
  },
  (lines, line) =>
    insertBefore(lines, line, {
      t: 'pass',
      pass: 1,
      topic: 'orders',
      partition: 7,
      from: 0,
      position: 0,
      end: 'range',
    }),
  (lines, line) =>
    insertBefore(lines, line, {
      t: 'pass',
      pass: 1,
      topic: 'returns',
      partition: 0,
      from: 0,
      position: 0,
      end: 'range',
    }),
];

/** The lines with one of them malformed. */
export const malform = (lines: readonly Line[], random: Random): (Line | string)[] => {
  const changed: (Line | string)[] = [...lines];
  const kind = random.pick(['send', 'ack', 'offsets', 'leader', 'read', 'pass', 'pass']);
  const line = pickLine(lines, random, kind) ?? lines.at(-1);
  if (line !== undefined) random.pick(MALFORMATIONS)(changed, line, random);
  return changed;
};
