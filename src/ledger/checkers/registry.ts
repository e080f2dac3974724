// The checkers, sorted by kind. A new one is a file beside this and a line here.
import type { Checker } from './checker.ts';
import { corruption } from './corruption.ts';
import { coverage } from './coverage.ts';
import { divergentRoute } from './divergent-route.ts';
import { duplicate } from './duplicate.ts';
import { failedVisible } from './failed-visible.ts';
import { inconsistentOffset } from './inconsistent-offset.ts';
import { logBounds } from './log-bounds.ts';
import { lostWrite } from './lost-write.ts';
import { order } from './order.ts';
import { phantom } from './phantom.ts';

export const CHECKERS: readonly Checker[] = [
  corruption,
  coverage,
  divergentRoute,
  duplicate,
  failedVisible,
  inconsistentOffset,
  logBounds,
  lostWrite,
  order,
  phantom,
];
