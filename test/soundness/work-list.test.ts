// What is run next, and what is not run again.
import { describe, expect, it } from 'vitest';
import type { Cell, DrillResult } from './result.ts';
import { cellName } from './result.ts';
import { cellsOf, workList } from './work-list.ts';

const wanted = {
  scenarios: ['baseline', 'leader-kill'],
  defects: ['lose-wal-tail'],
  isDeclared: ({ scenario, defect }: Cell) => scenario === 'leader-kill' && defect !== undefined,
};

const result = (cell: Cell): DrillResult => ({
  ...cell,
  key: { src: 'a', scenarios: 'b' },
  verdict: 'pass',
  exitCode: 0,
  found: {},
  tookSeconds: 20,
});

const times = (cell: Cell, many: number): DrillResult[] => Array.from({ length: many }, () => result(cell));

describe('the work list', () => {
  it('begins with each scenario and each declared cell once, and leaves repetitions for the end', () => {
    const names = workList(wanted, []).map(cellName);
    expect(names.slice(0, 3)).toEqual(['baseline:none', 'leader-kill:none', 'leader-kill:lose-wal-tail']);
    expect(names.at(-1)).toBe('leader-kill:none');
    expect(names.indexOf('baseline:lose-wal-tail')).toBe(3 * 5);
  });

  it('asks for no defect that the write-ahead log of a scenario cannot have', () => {
    const scenarios = ['leader-kill', 'storage/block-power-cut', 'storage/nfs-power-cut'];
    const defects = ['no-fencing', 'attach-without-fencing', 'stale-nfs-handle', 'lose-wal-tail'];
    const cells = cellsOf({ scenarios, defects }).filter(({ defect }) => defect !== undefined);
    expect(cells.map(cellName)).toEqual([
      'leader-kill:no-fencing',
      'leader-kill:lose-wal-tail',
      'storage/block-power-cut:attach-without-fencing',
      'storage/block-power-cut:lose-wal-tail',
      'storage/nfs-power-cut:stale-nfs-handle',
      'storage/nfs-power-cut:lose-wal-tail',
    ]);
  });

  it('asks 25 drills without a defect, five of a declared cell and one of any other', () => {
    const names = workList(wanted, []).map(cellName);
    const count = (name: string): number => names.filter((each) => each === name).length;
    expect(count('leader-kill:none')).toBe(25);
    expect(count('leader-kill:lose-wal-tail')).toBe(5);
    expect(count('baseline:lose-wal-tail')).toBe(1);
  });

  it('counts what was run already, and is empty once everything was', () => {
    const some = times({ scenario: 'leader-kill', defect: 'lose-wal-tail' }, 4);
    const left = workList(wanted, some).map(cellName);
    expect(left.filter((name) => name === 'leader-kill:lose-wal-tail').length).toBe(1);
    const all = [
      ...times({ scenario: 'baseline' }, 25),
      ...times({ scenario: 'leader-kill' }, 25),
      ...times({ scenario: 'leader-kill', defect: 'lose-wal-tail' }, 5),
      ...times({ scenario: 'baseline', defect: 'lose-wal-tail' }, 1),
    ];
    expect(workList(wanted, all)).toEqual([]);
  });
});
