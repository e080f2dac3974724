import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalEdge } from './fault.ts';
import { createJournal, openFaults, parseJournal, readJournal, reopenJournal } from './journal.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-journal-'));
  path = join(directory, 'journal.ndjson');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const edge = (id: string, name: JournalEdge['edge']): JournalEdge => ({
  at: 1,
  wall: '',
  id,
  fault: 'process-kill',
  edge: name,
  by: 'run',
  victims: [],
  brokers: [],
  ...(name === 'intent' ? { undo: { fault: 'process-kill', steps: [{ do: 'start-node', node: 'broker/1' }] } } : {}),
});

describe('the fault journal', () => {
  it('tells its version first and keeps every edge in order', async () => {
    const journal = await createJournal(path, { run: 'r', at: 5, wallMs: 9 });
    await Promise.all([journal.append(edge('a', 'intent')), journal.append(edge('a', 'applied'))]);
    await journal.close();
    const reading = await readJournal(path);
    expect(reading.header).toEqual({ t: 'journal', version: 3, run: 'r', at: 5, wallMs: 9 });
    expect(reading.edges.map((each) => each.edge)).toEqual(['intent', 'applied']);
  });

  it('reads a journal cut off at any byte, and a later writer does not damage it', async () => {
    const journal = await createJournal(path, { run: 'r', at: 0, wallMs: 0 });
    await journal.append(edge('a', 'intent'));
    await journal.append(edge('a', 'applied'));
    await journal.close();
    const whole = readFileSync(path, 'utf8');
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      const reading = parseJournal(whole.slice(0, bytes), path);
      expect(reading.edges.length).toBeLessThanOrEqual(2);
      expect(reading.tornLines).toBeLessThanOrEqual(1);
    }
    truncateSync(path, whole.length - 5);
    const again = await reopenJournal(path);
    await again.append(edge('a', 'healed'));
    await again.close();
    const reading = await readJournal(path);
    expect(reading.edges.map((each) => each.edge)).toEqual(['intent', 'healed']);
    expect(reading.tornLines).toBe(1);
  });

  it('refuses a newer format with a sentence, and a file that is there already', async () => {
    expect(() => parseJournal('{"t":"journal","version":4}\n', path)).toThrow(/format 4; .* reads formats 2 and 3/);
    expect(parseJournal('{"t":"journal","version":2}\n', path).header).toMatchObject({ version: 2 });
    await (await createJournal(path, { run: 'r', at: 0, wallMs: 0 })).close();
    await expect(createJournal(path, { run: 'r', at: 0, wallMs: 0 })).rejects.toThrow(/cannot be created/);
  });
});

describe('open faults', () => {
  it('are those without a healed edge, newest first', () => {
    const edges = [
      edge('a', 'intent'),
      edge('a', 'applied'),
      edge('b', 'intent'),
      edge('c', 'intent'),
      edge('a', 'confirmed'),
      edge('b', 'healed'),
      edge('c', 'heal-failed'),
    ];
    expect(openFaults(edges).map(({ id, last }) => `${id} ${last}`)).toEqual(['c heal-failed', 'a confirmed']);
  });

  // Red before: what was given up while it was being applied, or had taken its first step only, was undone once.
  it.each([
    [true, ['intent']],
    [true, ['intent', 'applied']],
    [true, ['intent', 'unconfirmed', 'healing']],
    [true, ['intent', 'applied', 'unconfirmed', 'healing', 'heal-failed']],
    [false, ['intent', 'applied', 'confirmed']],
    [false, ['intent', 'applied', 'confirmed', 'unconfirmed']],
    // A heal that came too late would take away what the undo has just put back.
    [true, ['intent', 'applied', 'confirmed', 'healing']],
  ] as const)(
    'may still be in flight unless they were confirmed and nobody began to heal: %s after %j',
    (mayBeInFlight, names) => {
      expect(openFaults(names.map((name) => edge('a', name)))).toMatchObject([{ mayBeInFlight }]);
    },
  );

  it('are also those for which something was made before their intent, until it is discarded', () => {
    const undo = { fault: 'process-kill' as const, steps: [{ do: 'start-node' as const, node: 'broker/9' }] };
    const made = { ...edge('a', 'intent'), edge: 'preparing' as const, undo };
    expect(openFaults([made, edge('a', 'unconfirmed')])).toMatchObject([{ undo, mayBeInFlight: true }]);
    expect(openFaults([made, edge('a', 'intent')])).toMatchObject([{ last: 'intent', undo: edge('a', 'intent').undo }]);
    expect(openFaults([made, { ...made, edge: 'discarded' }])).toEqual([]);
  });

  it('are none where nothing can be undone', () => {
    const oneShot = { ...edge('a', 'intent'), undo: { fault: 'object-loss' as const, steps: [] } };
    expect(openFaults([oneShot])).toEqual([]);
  });
});
