import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { undoOpenFaults } from './clean-up.ts';
import type { JournalLine, UndoStep } from './fault.ts';
import { createJournal, readJournal } from './journal.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-undo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A step of an ackproof that is newer than this one. */
const UNKNOWN = { do: 'refill-lake', node: 'broker/1' } as unknown as UndoStep;

/** Takes a file away. */
const removal = (file: string): UndoStep => {
  writeFileSync(join(folder, file), '');
  const call = (what: string, ...argv: string[]) => ({ what, argv, folder, env: {}, timeoutMs: 5000 });
  const heal = call('heal', 'rm', '-f', file);
  return { do: 'run-command', whom: file, injectMs: 0, heal, healed: call('healed', 'test', '!', '-e', file) };
};

const edge = (id: string, name: 'intent' | 'confirmed', steps: readonly UndoStep[]): JournalLine => ({
  at: 1,
  wall: '',
  id,
  fault: 'command',
  edge: name,
  by: 'run',
  victims: [],
  brokers: [],
  ...(name === 'intent' && { undo: { fault: 'command', steps } }),
});

// Red before: it was performed without an error, and whoever looked what was left ended with one of the program itself.
it('names a step that it does not know, and takes back all others', async () => {
  const record = { fault: 'command', steps: [UNKNOWN, removal('one')] } as const;
  const [problem, ...others] = await performUndo([record], freshReach(), new AbortController().signal);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ what: 'refill-lake broker/1', error: { code: 'UNDO_UNKNOWN_STEP' } });
  expect(await leftOf(record, freshReach())).toEqual([
    { what: expect.stringContaining('"refill-lake"') as unknown, byHand: expect.stringContaining('wrote') as unknown },
  ]);
  expect(existsSync(join(folder, 'one'))).toBe(false);
});

it('heals and tells the other faults of a journal in which one has such a step', async () => {
  const journalPath = join(folder, 'journal.ndjson');
  const journal = await createJournal(journalPath, { run: 'r', at: 0, wallMs: 0 });
  for (const [id, steps] of [
    ['old-1', [removal('one')]],
    ['new-2', [UNKNOWN]],
    ['old-3', [removal('three')]],
  ] as const) {
    await journal.append(edge(id, 'intent', steps));
    await journal.append(edge(id, 'confirmed', []));
  }
  await journal.close();
  const cleanUp = { runId: 'r', journalPath, ephemeral: false, by: 'heal', reach: freshReach() } as const;
  const { left } = await undoOpenFaults(cleanUp, () => true);
  expect(left).toHaveLength(1);
  const told = (await readJournal(journalPath)).edges.filter(({ by }) => by === 'heal');
  expect(told.map(({ id, edge: name }) => `${id} ${name}`).slice(-3)).toEqual([
    'old-3 healed',
    'new-2 heal-failed',
    'old-1 healed',
  ]);
  expect(told.find((line) => line.edge === 'heal-failed')?.reason).toContain('"refill-lake"');
});
