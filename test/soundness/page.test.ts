// The page says what was run and nothing better: a defect that slipped through, a scenario that cried wolf and a cell that was
// never run all show.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defects } from '../../src/embedded/defects/registry.ts';
import { DEFECTS } from '../../src/vocabulary.ts';
import { DECLARED_CELLS } from './declared-cells.ts';
import { isAmiss, type PageFacts, renderPage } from './page.ts';
import type { DrillResult } from './result.ts';

const key = { src: 'aaaa', scenarios: 'bbbb' };
const [cell] = DECLARED_CELLS['lose-wal-tail'];
const drill = (facts: Partial<DrillResult>): DrillResult => ({
  scenario: cell,
  key,
  verdict: 'pass',
  exitCode: 0,
  found: {},
  tookSeconds: 21,
  ...facts,
});
const caught = drill({ defect: 'lose-wal-tail', verdict: 'fail', exitCode: 1, found: { 'lost-write': 7 } });
const slipped = drill({ defect: 'lose-wal-tail', because: 'all read back' });
const misnamed = drill({ defect: 'lose-wal-tail', verdict: 'fail', exitCode: 1, found: { phantom: 1 } });

const pageOf = (results: readonly DrillResult[]): string =>
  renderPage({ key, scenarios: [cell], defects, results } satisfies PageFacts);

describe('the declared cells', () => {
  it('name every defect, and scenarios that exist', () => {
    expect(Object.keys(DECLARED_CELLS).sort()).toEqual([...DEFECTS].sort());
    const shipped = readdirSync(join(resolve(import.meta.dirname, '../..'), 'scenarios'), { recursive: true });
    for (const scenario of Object.values(DECLARED_CELLS).flat()) expect(shipped).toContain(`${scenario}.yaml`);
  });
});

describe('the page', () => {
  it('counts how often a defect was found under a declared name', () => {
    const row = `| lose-wal-tail | ${cell} | lost-tail, lost-write, duplicate-ack-offset | lost-write | 1/2 |`;
    expect(pageOf([caught, slipped])).toContain(row);
  });

  it('lists a defect that slipped through or came under a wrong name, and says None only when there is none', () => {
    expect(pageOf([slipped])).toContain(`\`${cell}:lose-wal-tail\`: pass, exit 0. all read back`);
    expect(pageOf([misnamed])).toContain(`\`${cell}:lose-wal-tail\`: fail`);
    expect(pageOf([caught, drill({})])).toContain('None.');
  });

  it('lists a scenario that did not pass without a defect, a missed bound included', () => {
    const missed = drill({ exitCode: 3, because: 'bounds: missed' });
    expect(isAmiss(missed, defects)).toBe(true);
    expect(pageOf([missed])).toContain(`| ${cell} | 0/1 | 21 s |`);
    expect(pageOf([missed])).toContain(`\`${cell}:none\`: pass, exit 3. bounds: missed`);
  });

  // Red before: "every time" stood above cells such as 0/2.
  it('claims nothing above the counts that they do not say', () => {
    expect(pageOf([slipped])).toContain('| 0/1 |');
    expect(pageOf([slipped])).not.toMatch(/every time|Every defect is found|every scenario passes/);
  });

  it('says of what was not run that it was not run', () => {
    const page = pageOf([]);
    expect(page).toContain(`| ${cell} | not run |  |`);
    expect(page).toContain(
      '| lose-wal-tail | all-brokers-kill | lost-tail, lost-write, duplicate-ack-offset |  | not run |',
    );
    expect(page).toContain('0 of 14 cells of the cross were run, 0 drills in all.');
  });
});
