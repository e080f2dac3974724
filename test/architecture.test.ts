// Holds docs/architecture.md against what the linter enforces, and both against the files: the map is the rule, or it is wrong.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

interface LayerRule {
  readonly LAYERS: Readonly<Record<string, readonly string[]>>;
  readonly LEAVES: readonly string[];
}

const layerRule = async (): Promise<LayerRule> => {
  const loaded: unknown = await import(pathToFileURL(join(root, 'eslint.config.js')).href);
  return loaded as LayerRule;
};

const codeNames = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w.-]+)`/gu)].map((found) => found[1] ?? '');

/** folder → what the table says it may import. */
const drawnLayers = (): Readonly<Record<string, readonly string[]>> => {
  const drawn: Record<string, readonly string[]> = {};
  for (const [, folder = '', layers = ''] of page.matchAll(/^\| `src\/([\w-]+)\/` \|.*\| ([^|]*) \|$/gmu)) {
    drawn[folder] = codeNames(layers);
  }
  return drawn;
};

test('the table says of each folder what the linter lets it import', async () => {
  expect(drawnLayers()).toEqual((await layerRule()).LAYERS);
});

test('the table has every folder of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(drawnLayers()).sort());
});

test('the page and the linter name the same leaf files, and every file of src itself is one or is the public API', async () => {
  const sentence = /^The leaf files: (.*?)\n\n/msu.exec(page)?.[1] ?? '';
  const leaves = codeNames(sentence.slice(0, sentence.indexOf('. Only')));
  expect(leaves).toEqual((await layerRule()).LEAVES.map((leaf) => `${leaf}.ts`));
  const files = readdirSync(join(root, 'src')).filter((name) => /^[\w-]+\.ts$/u.test(name));
  expect(files.sort()).toEqual([...leaves, 'catalogue.ts', 'index.ts'].sort());
});

test('scenarios know the wire in one file', () => {
  const folder = join(root, 'src', 'scenarios');
  const knowing = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => readFileSync(join(folder, name), 'utf8').includes("from '../wire/"));
  expect(knowing).toEqual(['cluster-eye.ts']);
});
