import { expect, test } from 'vitest';
import { CATALOGUE_KINDS, catalogue, explainName } from './catalogue.ts';
import { FAULT_REGISTRY } from './faults/registry.ts';
import { ANOMALIES, DEFECTS } from './vocabulary.ts';

test.each(CATALOGUE_KINDS)('%s are listed by name, each once and with a sentence', async (kind) => {
  const entries = await catalogue(kind);
  const names = entries.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(names).toEqual([...new Set(names)].sort());
  for (const { summary } of entries) expect(summary).toMatch(/^\S.*\.$/);
});

test('nothing that has a name is missing from the lists', async () => {
  const names = async (kind: 'anomalies' | 'defects' | 'faults') => (await catalogue(kind)).map(({ name }) => name);
  expect(await names('anomalies')).toEqual([...ANOMALIES].sort());
  expect(await names('defects')).toEqual([...DEFECTS].sort());
  expect(await names('faults')).toEqual(FAULT_REGISTRY.map(({ kind }) => kind).sort());
});

// Every defect is asked of a process of its own, so two of them stand for all.
test('what is listed has a page that begins with what it is', async () => {
  const words = {
    anomalies: 'anomaly',
    clients: 'client',
    defects: 'defect',
    faults: 'fault',
    reports: 'report',
    targets: 'target',
  };
  for (const kind of CATALOGUE_KINDS) {
    const entries = await catalogue(kind);
    for (const { name, summary } of kind === 'defects' ? entries.slice(0, 2) : entries) {
      const page = await explainName(name);
      expect(page.split('\n')[0]).toMatch(new RegExp(`^${words[kind]} ${name}\\b`));
      expect(page).toContain(summary);
    }
  }
});

test('the page of a fault tells how it is written', async () => {
  const page = await explainName('process-kill');
  expect(page).toMatch(/victims: +\{leaderOf: topic\/partition\}\n/);
  expect(page).not.toContain('backend:');
  expect(await explainName('network-partition')).toMatch(/backend: +auto \| toxiproxy \| netns /);
  expect(page).toMatch(/duration: +required/);
  expect(await explainName('all-brokers-kill')).toContain('must be allowed:     allow: [full-outage]');
});

test('a name that is none is refused with the nearest and where to look', async () => {
  await expect(explainName('lost-wrte')).rejects.toMatchObject({
    code: 'NOTHING_OF_THAT_NAME',
    kind: 'input',
    hint: expect.stringMatching(/^Did you mean "lost-write"\? .*ackproof list anomalies/) as string,
  });
});

test.each([
  ['M/netns', /^The nearest names: .*network-partition.*\. See all names with: /u],
  ['a/b', /^The nearest names: [a-z-]+, [a-z-]+, [a-z-]+\. See all names with: /u],
  ['faults/kill', /^The nearest names: .*process-kill.*\. See/u],
  ['', /^The nearest names: [a-z-]+, /u],
])('%j is refused with the nearest names, however far they are', async (name, told) => {
  await expect(explainName(name)).rejects.toMatchObject({ hint: expect.stringMatching(told) as string });
});
