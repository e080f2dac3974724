import { expect, test } from 'vitest';
import { ERROR_KINDS } from '../src/errors.ts';
import type { RunResult } from '../src/index.ts';
import { EXIT_CODES, exitCodeOfError, exitCodeOfResult, worstExitCode } from './exit-codes.ts';

interface Shape {
  readonly verdict?: RunResult['judgement']['verdict'];
  readonly bounds?: RunResult['bounds'];
  readonly heal?: RunResult['heal'];
  readonly ended?: RunResult['ended'];
  readonly trouble?: RunResult['trouble'];
}

const result = ({ verdict = 'pass', bounds = 'met', heal = 'clean', ended = 'complete', ...more }: Shape): RunResult =>
  ({ judgement: { verdict }, bounds, heal, ended, ...more }) as unknown as RunResult;

test('the codes come in the order 1 > 4 > 70 > 130/143 > 2 > 3 > 0', () => {
  const all: Shape = { verdict: 'fail', heal: 'failed', ended: 'error', bounds: 'missed' };
  expect(exitCodeOfResult(result(all))).toBe(1);
  expect(exitCodeOfResult(result({ ...all, verdict: 'inconclusive' }))).toBe(4);
  expect(exitCodeOfResult(result({ ended: 'error', verdict: 'inconclusive', bounds: 'missed' }))).toBe(70);
  expect(exitCodeOfResult(result({ ended: 'interrupted', verdict: 'inconclusive' }), undefined, 'SIGINT')).toBe(130);
  expect(exitCodeOfResult(result({ ended: 'interrupted' }), undefined, 'SIGTERM')).toBe(143);
  expect(exitCodeOfResult(result({ verdict: 'inconclusive', bounds: 'missed' }))).toBe(2);
  expect(exitCodeOfResult(result({ bounds: 'missed' }))).toBe(3);
  expect(exitCodeOfResult(result({}))).toBe(0);
});

test('a recorded run that broke is judged with the code it broke with', () => {
  expect(exitCodeOfResult(result({ ended: 'error', trouble: 'environment' }))).toBe(69);
  expect(exitCodeOfResult(result({ ended: 'error', trouble: 'unhealed' }))).toBe(4);
  expect(exitCodeOfResult(result({ ended: 'error', trouble: 'environment', verdict: 'fail' }))).toBe(1);
  expect(exitCodeOfResult(result({ ended: 'interrupted', trouble: 'terminated' }))).toBe(143);
});

test('a bound that nothing was measured against proves nothing', () => {
  expect(exitCodeOfResult(result({ bounds: 'no-samples' }))).toBe(2);
});

test('what --fail-on leaves out does not block, and an interruption always does', () => {
  expect(exitCodeOfResult(result({ bounds: 'missed' }), ['fail'])).toBe(0);
  expect(exitCodeOfResult(result({ verdict: 'fail' }), ['bounds'])).toBe(0);
  expect(exitCodeOfResult(result({ ended: 'interrupted' }), [])).toBe(130);
});

test('every code that can be returned is in the table, once, in order', () => {
  const codes: readonly number[] = EXIT_CODES.map(({ code }) => code);
  expect([...codes].sort((one, other) => one - other)).toEqual([...new Set(codes)]);
  for (const kind of ERROR_KINDS) expect(codes).toContain(exitCodeOfError(kind));
});

test('of several drills the worst decides, a loss before everything', () => {
  expect(worstExitCode([0, 2, 1, 69])).toBe(1);
  expect(worstExitCode([2, 70, 4])).toBe(4);
  expect(worstExitCode([3, 0, 2])).toBe(2);
  expect(worstExitCode([0, 0])).toBe(0);
  expect(EXIT_CODES.every(({ code }) => worstExitCode([0, code]) === code)).toBe(true);
});
