import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeRun } from '../../test/report/written-run.ts';
import { TextHistory } from '../../test/support/text-history.ts';
import { EnvironmentError, InputError } from '../errors.ts';
import { judgePath } from './judge-path.ts';
import { readTextFile } from './text-file.ts';
import { readText } from './text-reader.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-path-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const code = async (path: string): Promise<string> => {
  try {
    await judgePath(path);
  } catch (thrown) {
    if (thrown instanceof InputError || thrown instanceof EnvironmentError) return thrown.code;
    throw thrown;
  }
  return 'no problem';
};
const runJson = (value: unknown): void => writeFileSync(join(directory, 'run.json'), JSON.stringify(value));

describe('a text history', () => {
  const history = new TextHistory().acked(0, 3, 0, { producer: 'größer ✓' });
  const text = history.read(1, 0, 0, 3, { producer: 'größer ✓' }).pass(1, 0, 3).text;

  it('is judged as a file', async () => {
    const path = join(directory, 'h.ndjson');
    writeFileSync(path, text);
    const { result, json, warnings } = await judgePath(path);
    expect([result.judgement.verdict, result.bounds, result.heal, json['verdict'], warnings]).toEqual([
      'pass',
      'met',
      'clean',
      'pass',
      [],
    ]);
  });

  it('reads alike whatever pieces its file is read in, with and without the last line feed', () => {
    const path = join(directory, 'h.ndjson');
    for (const whole of [text, text.trimEnd()]) {
      writeFileSync(path, whole);
      const expected = readText(whole, path).load('orders', 0);
      for (const pieceBytes of [1, 2, 3, 7, 64, 1 << 20]) {
        expect(readTextFile(path, pieceBytes).load('orders', 0)).toEqual(expected);
      }
    }
  });

  it.each([
    ['scenario.yaml', 'name: leader-kill\n', /^A scenario is run first: ackproof run .*scenario\.yaml; then judge/u],
    ['package.json', '{\n  "name": "x"\n}\n', /^Name a directory that `ackproof run` wrote, or a text history/u],
  ])('says of %s that it is neither a run nor a history, and what to name', async (name, content, hint) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    const message = `${path} is neither a run directory nor a text history: The line is not JSON.`;
    await expect(judgePath(path)).rejects.toMatchObject({
      code: 'NOT_A_RUN',
      message,
      hint: expect.stringMatching(hint) as string,
    });
  });

  it('names the line that is malformed, and an empty file', async () => {
    const path = join(directory, 'h.ndjson');
    writeFileSync(path, `${text}{"t":"pass"}\n`);
    await expect(judgePath(path)).rejects.toMatchObject({ place: { file: path, line: 6 } });
    writeFileSync(path, '');
    await expect(judgePath(path)).rejects.toMatchObject({ place: { file: path, line: 1 } });
  });
});

describe('a path', () => {
  it('that is not there, or no run, is told apart', async () => {
    expect(await code(join(directory, 'nothing'))).toBe('FILE_UNREADABLE');
    expect(await code(directory)).toBe('NOT_A_RUN');
  });

  it.each([
    ['is not JSON', '{'],
    ['is no object', '[]'],
  ])('with a run.json that %s is refused', async (_, text) => {
    await writeRun(directory, 10);
    writeFileSync(join(directory, 'run.json'), text);
    expect(await code(directory)).toBe('RUN_RECORD_DAMAGED');
  });

  it.each([
    'run.json',
    'timeline.ndjson',
    'contract.json',
    join('ledger', 'harness.rows'),
    join('replay', '000.rows'),
    join('control', 'contract.json'),
  ])('under whose name of a file is a folder is refused: %s', async (name) => {
    await writeRun(directory, 10);
    rmSync(join(directory, name), { force: true });
    mkdirSync(join(directory, name), { recursive: true });
    expect(await code(directory)).toBe('NOT_A_FILE');
  });

  it('with a pipe that nobody writes to is refused, not waited for', async () => {
    await writeRun(directory, 10);
    rmSync(join(directory, 'timeline.ndjson'), { force: true });
    execFileSync('mkfifo', [join(directory, 'timeline.ndjson')]);
    expect(await code(directory)).toBe('NOT_A_FILE');
  });

  it('of a newer version is refused', async () => {
    await writeRun(directory, 10);
    runJson({ formatVersion: 2 });
    expect(await code(directory)).toBe('RUN_FROM_NEWER_VERSION');
  });

  it('takes bounds and ending from run.json, and warns where the run wrote no ending', async () => {
    await writeRun(directory, 10);
    runJson({ formatVersion: 1, ended: 'complete', bounds: { longestGapMs: 5000, recoverWithinMs: 'soon' } });
    const whole = await judgePath(directory);
    expect(whole.result).toMatchObject({ ended: 'complete', bounds: 'met', boundResults: [{ name: 'longestGap' }] });
    expect(whole.warnings).toEqual([]);
    runJson({ formatVersion: 1, ended: 'running', bounds: [] });
    const torn = await judgePath(directory);
    expect(torn.result.ended).toBe('interrupted');
    expect(torn.warnings).toHaveLength(1);
  });

  it.each([
    ['environment', { trouble: 'environment' }],
    ['nobody’s', {}],
    [7, {}],
  ])('takes from run.json whose trouble broke the run: %s', async (trouble, taken) => {
    await writeRun(directory, 10);
    runJson({ formatVersion: 1, ended: 'error', trouble });
    const { ended, trouble: told } = (await judgePath(directory)).result;
    expect({ ended, ...(told === undefined ? {} : { trouble: told }) }).toEqual({ ended: 'error', ...taken });
  });

  // Red before: a run whose contract was removed "ended before its main part", and one without its journal passed.
  describe('of which files are gone', () => {
    const timeline = (faults: readonly string[]): void => {
      const edges = faults.map((edge, at) => ({
        t: 'fault',
        at,
        order: at,
        fault: 'process-kill',
        id: 'kill-1',
        edge,
      }));
      writeFileSync(join(directory, 'timeline.ndjson'), edges.map((edge) => `${JSON.stringify(edge)}\n`).join(''));
    };
    const journal = (faults: readonly string[]): void => {
      const lines = [{ t: 'journal' }, ...faults.map((edge) => ({ id: 'kill-1', edge, by: 'run' }))];
      writeFileSync(join(directory, 'journal.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    };
    const because = async (parts: readonly unknown[]): Promise<string> => {
      runJson({ formatVersion: 1, ended: 'complete', parts });
      const { verdict, because: reason } = (await judgePath(directory)).result.judgement;
      return `${verdict} ${reason}`;
    };

    it('names the contract of the main part, and of an earlier one', async () => {
      mkdirSync(join(directory, 'control'));
      await writeRun(join(directory, 'control'), 10);
      const parts = [{ part: 'control', faults: [] }];
      const missing = (file: string, part: string): string =>
        `inconclusive ledger-damaged: ${file} is missing, though run.json names the ${part} part`;
      expect(await because([...parts, { part: 'main' }])).toBe(missing('contract.json', 'main'));
      await writeRun(directory, 10);
      expect(await because([...parts, { part: 'main' }])).toMatch(/^pass /);
      rmSync(join(directory, 'control'), { recursive: true });
      expect(await because([...parts, { part: 'main' }])).toBe(missing('control/contract.json', 'control'));
    });

    it('names the journal of a part with faults that is gone, or differs from the timeline', async () => {
      await writeRun(directory, 10);
      const parts = [{ part: 'main', faults: [{ id: 'kill-1' }] }];
      timeline(['intent', 'applied', 'confirmed', 'healing', 'healed']);
      expect(await because(parts)).toMatch(/^inconclusive ledger-damaged: journal\.ndjson is missing/);
      journal(['intent', 'applied', 'healing', 'healed']);
      expect(await because(parts)).toMatch(/^inconclusive ledger-damaged: journal\.ndjson and .* edges of kill-1$/);
      journal(['preparing', 'intent', 'applied', 'confirmed', 'healing', 'healed']);
      expect(await because(parts)).not.toMatch(/journal/);
    });
  });

  // Red before: `run` ended with 143, and `judge` of the same run with 130.
  it.each([
    [143, 'terminated'],
    [130, undefined],
  ])('takes from run.json which signal stopped a run that came to a result: %i', async (exitCode, trouble) => {
    await writeRun(directory, 10);
    runJson({ formatVersion: 1, ended: 'interrupted', exitCode });
    expect((await judgePath(directory)).result.trouble).toBe(trouble);
  });

  it.each([
    ['never passes by it', 10, 'inconclusive', /^the run ended before its main part/u],
    ['fails by it', 9, 'fail', /^without any fault, in the control run: 1 acked record missing/u],
  ] as const)('whose run ended in an earlier part %s', async (_, read, verdict, because) => {
    mkdirSync(join(directory, 'control'));
    await writeRun(join(directory, 'control'), read);
    const { judgement } = (await judgePath(directory)).result;
    expect(judgement.verdict).toBe(verdict);
    expect(judgement.because).toMatch(because);
  });
});
