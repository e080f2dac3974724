// The contract of every target that can be had with Node.js alone. The embedded cluster is the real one, with one broker; an
// external cluster is a fake that only has to be there. Kinds that take more are held to it in test/systems/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TARGET_REGISTRY } from '../../src/targets/registry.ts';
import { FakeCluster } from '../support/fake-cluster.ts';
import { describeTarget, type Recipe } from './target-contract.ts';

// What a target offers is asked of its file before any test begins.
const external = await FakeCluster.start();

afterAll(async () => {
  await external.stop();
});

const usual = { rounds: 2, brokersToBreak: 9, orderly: { exitCode: 0, graceMs: 5_000 } } as const;

const RECIPES: Readonly<Record<string, Recipe>> = {
  embedded: {
    ...usual,
    spec: () => ({ brokers: 1 }),
    broken: { spec: { brokers: 1 }, defects: ['no-such-defect'] },
    hasProcesses: true,
  },
  external: {
    ...usual,
    spec: () => ({ bootstrapServers: external.bootstrap.map(({ host, port }) => `${host}:${port}`) }),
    broken: { spec: { bootstrapServers: ['127.0.0.1:1'] }, defects: [] },
    hasProcesses: false,
  },
};

test('the targets are sorted, named once, offer sorted capabilities, and each says what it is in a sentence', () => {
  const kinds = TARGET_REGISTRY.map(({ kind }) => kind);
  expect(kinds).toEqual([...new Set(kinds)].sort());
  for (const { kind, summary, offers } of TARGET_REGISTRY) {
    expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/u);
    expect(summary).toMatch(/^[A-Z].*\.$/u);
    expect(offers).toEqual([...new Set(offers)].sort());
  }
});

test('every kind is held to the contract, here or with the real system', () => {
  const elsewhere = (kind: string): boolean =>
    readFileSync(join(import.meta.dirname, '..', 'systems', `${kind}.test.ts`), 'utf8').includes(
      `describeTarget('${kind}'`,
    );
  for (const { kind } of TARGET_REGISTRY) expect(kind in RECIPES || elsewhere(kind), kind).toBe(true);
});

for (const [kind, recipe] of Object.entries(RECIPES)) describeTarget(kind, recipe);
