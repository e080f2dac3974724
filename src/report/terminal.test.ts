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

// Red before: it was told as `process-kill ()`, and a line of blanks.
test('a fault that never began has neither empty brackets nor an empty line', () => {
  const model = withFaults(1);
  const parts = model.parts.map((part) => ({
    ...part,
    faults: part.faults.map(({ id, fault, require, marks }) => ({
      ...{ id, fault, require, marks, victims: [], chosen: '', state: 'not started' },
      ...{ confirmed: false, evidence: [], exposure: [] },
    })),
  }));
  const text = renderTerminal({ ...model, parts }, {});
  expect(text).toContain('process-kill: never applied, nothing to heal\n');
  expect(text).not.toMatch(/\n +\n/);
});

// Red before: the last finding that was shown was cut at `…`, and those behind it were not counted.
test('findings beyond the room are left out whole, and counted', () => {
  const finding = SAMPLES.fail.parts.at(-1)!.findings[0]!;
  const findings = Array.from({ length: 5 }, (_, partition) => ({
    ...finding,
    partition,
    rule: 'because '.repeat(20),
  }));
  const parts = SAMPLES.fail.parts.map((part) => ({ ...part, findings }));
  const text = renderTerminal({ ...SAMPLES.fail, parts }, {});
  const shown = text.match(/VIOLATION/gu)?.length ?? 0;
  expect(shown).toBeGreaterThan(0);
  expect(text).toContain(`and ${5 - shown} more`);
  expect(text).not.toContain('…');
});

test('of very many faults it is said how many are not told', () => {
  expect(renderTerminal(withFaults(9), {})).toContain('and 3 more');
});
