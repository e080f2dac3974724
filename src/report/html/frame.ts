// The frame that every row of the timeline shares: the same milliseconds at the same place, from top to bottom.
import type { PartReport } from '../model.ts';
import { linearScale, type Scale } from './scale.ts';

export const WIDTH = 1140;
const LEFT = 78;
const RIGHT = 14;

export interface Frame {
  readonly left: number;
  readonly right: number;
  /** Milliseconds at the right edge. */
  readonly until: number;
  readonly x: Scale;
}

/** Undefined where a part has no length, so that there is nothing to draw. */
export const frameOf = ({ phases, load, passes, faults }: PartReport): Frame | undefined => {
  const ends = [
    ...phases.map(({ from, to = from }) => to),
    ...passes.map(({ to = 0 }) => to),
    ...faults.map(({ healedAt = 0 }) => healedAt),
    load === undefined ? 0 : load.from + load.buckets.length * load.bucketMs,
  ];
  const until = Math.max(0, ...ends);
  if (until <= 0) return undefined;
  const right = WIDTH - RIGHT;
  return { left: LEFT, right, until, x: linearScale(until, LEFT, right) };
};
