// An answer of which some bytes are others: `countBytes` from `offsetBytes` of its content, each changed, in a way that seed, rule
// and match decide. What succeeded is changed, errors are passed on as they are.
import { z } from 'zod';
import type { Random } from '../../random.ts';
import type { Stretch } from '../http/message-body.ts';
import { type Answer, endBroken, passAnswer, passOn } from '../pass-on.ts';
import { defineAction } from './action.ts';

interface Place {
  readonly from: number;
  readonly to: number;
}

/** The stretch with what lies in `place` changed; `before` bytes of content came before it. Undefined where none of it does. */
const changed = (stretch: Stretch, before: number, place: Place, random: Random): Buffer | undefined => {
  let copy: Buffer | undefined;
  let position = before;
  for (const [from, to] of stretch.content) {
    const first = Math.max(place.from, position);
    const last = Math.min(place.to, position + to - from);
    for (let at = first; at < last; at++) {
      copy ??= Buffer.from(stretch.bytes);
      const index = from + at - position;
      copy[index] = (copy[index] ?? 0) ^ (1 + random.integer(255));
    }
    position += to - from;
  }
  return copy;
};

const contentBytes = ({ content }: Stretch): number => content.reduce((sum, [from, to]) => sum + to - from, 0);

const isTouched = ({ head, body: { framing } }: Answer, place: Place): boolean => {
  if (head.status >= 300 || framing.kind === 'none') return false;
  return framing.kind !== 'length' || framing.bytes > place.from;
};

export const corrupt = defineAction({
  schema: z.strictObject({
    kind: z.literal('corrupt'),
    /** Of the answer's content. */
    offsetBytes: z.int().min(0),
    countBytes: z.int().min(1),
    allow: z.literal('corrupt', 'Say allow: "corrupt": callers may take what they get for the object.'),
  }),
  perform: async (exchange, grant, { offsetBytes, countBytes }) => {
    const place = { from: offsetBytes, to: offsetBytes + countBytes };
    const random = grant.choice('corrupt');
    await passOn(exchange, {
      download: async (_, answer) => {
        if (!isTouched(answer, place)) {
          await passAnswer(exchange, answer);
          return;
        }
        let isThere = await exchange.beginAnswer(answer.head, answer.closes);
        for (let before = 0; isThere; ) {
          const stretch = await answer.body.next();
          if (stretch === undefined) break;
          const other = changed(stretch, before, place, random);
          if (other !== undefined) grant.act();
          isThere = await exchange.toCaller(other ?? stretch.bytes);
          before += contentBytes(stretch);
        }
        endBroken(exchange, answer);
      },
    });
  },
});
