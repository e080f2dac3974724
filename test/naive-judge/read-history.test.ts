// A malformed history is refused with the number of its first malformed line; the hand-made cases show the other ways.
import { expect, test } from 'vitest';
import { naiveJudge } from './naive-judge.ts';

const HEADER = '{"t":"history","version":1,"run":"r1","contract":{},"topics":[{"topic":"orders","partitions":1}]}';
const SEND = '{"t":"send","at":1,"producer":"p1","partition":0,"seq":0,"count":2}';
const ACK = '{"t":"ack","at":2,"producer":"p1","partition":0,"seq":1,"offset":1}';

const TWO_TOPICS = HEADER.replace(']}', ',{"topic":"audit","partitions":1}]}');

test.each([
  ['an empty text has no header', [], 1],
  ['a line before the header', [SEND, HEADER], 1],
  ['a second header', [HEADER, SEND, HEADER], 3],
  ['a line that is not JSON', [HEADER, '{"t":'], 2],
  ['an empty line', [HEADER, '', SEND], 2],
  ['a kind that nobody knows', [HEADER, '{"t":"recieve"}'], 2],
  ['a missing field', [HEADER, '{"t":"send","at":1,"producer":"p1","partition":0}'], 2],
  ['an unknown field of the contract', [HEADER.replace('{}', '{"ack":1}')], 1],
  ['a send that repeats one record of another', [HEADER, SEND, SEND.replace('"seq":0,"count":2', '"seq":1')], 3],
  [
    'a second outcome of one record',
    [HEADER, SEND, ACK, ACK.replace('"t":"ack"', '"t":"error"').replace(',"offset":1', '')],
    4,
  ],
  ['an outcome of a record more than was sent', [HEADER, SEND, ACK.replace('"seq":1', '"seq":1,"count":2')], 3],
  ['a topic left out where there are two', [TWO_TOPICS, SEND], 2],
  ['a topic that the header lacks', [HEADER, SEND.replace('"seq"', '"topic":"returns","seq"')], 2],
])('%s is malformed', (_, lines, line) => {
  expect(naiveJudge(lines.map((text) => `${text}\n`).join(''))).toEqual({ exit: 65, line });
});

test('ranges of one pass that only touch do not overlap', () => {
  const range = '{"t":"pass","pass":1,"partition":0,"from":0,"position":3,"end":"range"}';
  const next = range.replace('"from":0,"position":3', '"from":3,"position":5');
  expect(naiveJudge([HEADER, range, next].join('\n'))).toEqual({
    verdict: 'inconclusive',
    findings: [],
    ownership: 'inconclusive',
  });
});
