// `list`, `explain` and `plan`: what there is and what would be done, for people and for programs. Nothing is started.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ProgramResult, runProgram } from '../support/program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-look-up-'));
});
afterEach(() => {
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

const run = async (...words: string[]): Promise<ProgramResult> => await runProgram(words, { XDG_STATE_HOME: folder });

describe('list', () => {
  it.each(['anomalies', 'clients', 'defects', 'exit-codes', 'faults', 'reports', 'targets'])(
    'shows %s as a table, and the same to programs',
    async (kind) => {
      const table = await run('list', kind);
      const json = await run('list', kind, '--format', 'json');
      const entries = JSON.parse(json.stdout) as readonly { readonly name: string; readonly summary: string }[];
      const width = Math.max(...entries.map(({ name }) => name.length));
      expect(table.stdout).toBe(
        `${entries.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`).join('\n')}\n`,
      );
      expect([table.exitCode, table.stderr, json.exitCode]).toEqual([0, '', 0]);
    },
  );
});

describe('explain', () => {
  it.each([
    ['lost-tail', /^anomaly lost-tail\n\n.*\n\nUsual cause: /],
    ['process-kill', /^fault process-kill\n/],
    ['lose-wal-tail', /^defect lose-wal-tail [\s\S]*must cause: /],
    ['69', /^exit code 69: unavailable\n/],
    ['heal failed', /^exit code 4: heal failed\n/],
  ])('%s is a page', async (name, page) => {
    const { exitCode, stdout } = await run('explain', name);
    expect(stdout).toMatch(page);
    expect(exitCode).toBe(0);
  });

  it('a name that is none ends with 65 and the nearest one', async () => {
    const { exitCode, stderr } = await run('explain', 'process-kil');
    expect(stderr).toMatch(/^NOTHING_OF_THAT_NAME — .*Did you mean "process-kill"\?/);
    expect(exitCode).toBe(65);
  });
});

describe('plan', () => {
  it('says who would be broken, how it would be proved, and that nothing was done', async () => {
    const { exitCode, stdout } = await run('plan', 'scenarios/leader-kill.yaml');
    expect(stdout).toMatch(/^leader-kill on embedded\n/);
    expect(stdout).toMatch(/process-kill {2}victim .*orders\/0/);
    expect(stdout).toMatch(/proof: mechanism, effect and control[\s\S]*Nothing was changed\.\n$/);
    expect(exitCode).toBe(0);
  });

  it('is one document for programs', async () => {
    const { stdout } = await run('plan', 'scenarios/leader-kill.yaml', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      scenario: 'leader-kill',
      target: 'embedded',
      parts: [{ part: 'preflight' }, { part: 'control' }, { part: 'main', faults: 1 }],
      passes: ['full'],
    });
  });

  it.each(['text', 'json'])(
    'of a cluster that cannot be reached is told all the same, and ends as a run would (%s)',
    async (format) => {
      const nowhere = join(folder, 'nowhere.yaml');
      writeFileSync(nowhere, 'apiVersion: ackproof/v1\nkind: external\nbootstrapServers: ["127.0.0.1:1"]\n');
      const words = ['scenarios/kafka/no-fault.yaml', '--target', nowhere, '--format', format];
      const { exitCode, stdout } = await run('plan', ...words);
      rmSync(nowhere);
      expect(stdout).toMatch(/TARGET_UNREACHABLE — /);
      expect(stdout).toMatch(/blast ?[rR]adius/);
      expect(exitCode).toBe(69);
    },
  );

  it('of a scenario with mistakes tells them and ends with 65', async () => {
    const { exitCode, stdout, stderr } = await run('plan', 'scenarios/leader-kill.yaml', '--target', 'embeded');
    expect(stderr).toMatch(/^TARGET_UNKNOWN --target — .*Did you mean "embedded"/);
    expect([exitCode, stdout]).toEqual([65, '']);
  });
});
