import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { linesIn, openPart } from '../../test/support/part-fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-part-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the main part is the run itself; the others have a folder, a name and a topic of their own', async () => {
  const main = openPart(folder).part;
  const control = openPart(folder, 'control').part;
  expect([main.place, main.runId, main.topic]).toEqual(['.', 'run-1', 'ackproof-run-1-main-orders']);
  expect([control.place, control.runId, control.topic]).toEqual([
    'control',
    'run-1-control',
    'ackproof-run-1-control-orders',
  ]);
  expect(main.partitions).toEqual([0, 1]);
  await Promise.all([main.close(), control.close()]);
  expect(existsSync(join(folder, 'control', 'contract.json'))).toBe(true);
});

test('its contract is a history header that names its own run and topic', async () => {
  const { part } = openPart(folder, 'preflight');
  await part.close();
  expect(JSON.parse(readFileSync(join(part.directory, 'contract.json'), 'utf8'))).toMatchObject({
    t: 'history',
    version: 1,
    run: 'run-1-preflight',
    contract: { acks: 'all', boundary: 'wal' },
    topics: [{ topic: part.topic, partitions: 2, exclusive: true }],
  });
});

// Red before: the header said what the scenario says, and what a broker-wide retention removed was judged as lost.
test('settings in force are part of the contract, below those that the scenario states, until something is sent', async () => {
  const { part } = openPart(folder);
  part.addSettings({ 'retention.ms': '10000', 'cleanup.policy': 'delete' });
  const { ledger } = part;
  expect(() => part.addSettings({})).toThrow(expect.objectContaining({ code: 'CONTRACT_SETTLED' }));
  await part.close();
  expect(part.ledger).toBe(ledger);
  const [header] = await linesIn(folder);
  expect(header?.['topics']).toEqual([
    expect.objectContaining({ topic: part.topic, config: { 'retention.ms': '10000', 'cleanup.policy': 'delete' } }),
  ]);
});

test('a folder that holds a part already is not written over', async () => {
  await openPart(folder).part.close();
  expect(() => openPart(folder)).toThrow(expect.objectContaining({ code: 'RUN_DIRECTORY_UNWRITABLE' }));
  writeFileSync(join(folder, 'control'), 'in the way');
  expect(() => openPart(folder, 'control')).toThrow(expect.objectContaining({ kind: 'environment' }));
});

test('phases follow one another, and the last one ends with the part', async () => {
  const { part, clock } = openPart(folder);
  part.enter('preflight');
  await clock.run(clock.sleep(100));
  part.enter('steady');
  await clock.run(clock.sleep(50));
  await part.close();
  expect(part.record().phases).toEqual([
    { phase: 'preflight', from: 0, to: 100 },
    { phase: 'steady', from: 100, to: 150 },
  ]);
});

test('what is told stands in the history with its time since the part began', async () => {
  const { part, clock } = openPart(folder);
  await clock.run(clock.sleep(25));
  part.tell({ t: 'sentinel', topic: part.topic, partition: 1, offset: 7 });
  part.tell({ t: 'harness', anomaly: 'no-progress', detail: 'earlier' }, 10);
  part.seal();
  await part.close();
  const told = (await linesIn(folder)).filter(({ t }) => t === 'sentinel' || t === 'harness');
  expect(told).toEqual([
    expect.objectContaining({ t: 'harness', anomaly: 'no-progress', detail: 'earlier', at: 10 }),
    expect.objectContaining({ t: 'sentinel', partition: 1, offset: 7, at: 25 }),
  ]);
});

test('a ledger that cannot be closed does not keep its timeline from being sealed', async () => {
  const { part } = openPart(folder);
  vi.spyOn(part.ledger, 'close').mockRejectedValue(new Error('no space'));
  await expect(part.close()).rejects.toThrow('no space');
  expect(readFileSync(join(part.directory, 'timeline.ndjson'), 'utf8')).toContain('"t":"seal"');
});
