import { expect, test } from 'vitest';
import { SAMPLES } from '../../test/report/sample-models.ts';
import type { ReportModel } from './model.ts';
import { MOST_LINES, renderTerminal } from './terminal.ts';

/** The passing sample with its fault so many times, each a second after the last. */
const withFaults = (count: number): ReportModel => ({
  ...SAMPLES.pass,
  parts: SAMPLES.pass.parts.map((part) => ({
    ...part,
    faults: part.faults.slice(0, 1).flatMap((fault) =>
      Array.from({ length: count }, (_, index) => ({
        ...fault,
        id: `process-kill-${index + 1}`,
        victims: [`broker/${index + 1}`],
        appliedAt: 1000 * (index + 1),
      })),
    ),
  })),
});

test('two faults are told in full', () => {
  const text = renderTerminal(withFaults(2), {});
  expect(text).toContain('process-kill on broker/2 (');
});

// Red before: of three faults the third was "and 2 more".
test.each([3, 5])('none of %i faults is left out', (count) => {
  const text = renderTerminal(withFaults(count), {});
  for (let index = 1; index <= count; index++) {
    expect(text).toContain(`process-kill on broker/${index} at ${index}.000 s: confirmed, healed`);
  }
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
});

test('of very many faults it is said how many are not told', () => {
  expect(renderTerminal(withFaults(9), {})).toContain('and 3 more');
});
