// The rules of the house that no linter knows: no import cycle, no file that nobody imports, a header comment in every file,
// a test for each fault and checker, sorted lists, nothing switched off, and documents in step.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ANOMALIES, DEFECTS, FAULTS } from '../src/vocabulary.ts';

const root = resolve(import.meta.dirname, '..');

const filesBelow = (folder: string, ending = '.ts'): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path, ending);
    return path.endsWith(ending) ? [path] : [];
  });

const sources = ['bin', 'src'].flatMap((folder) => filesBelow(join(root, folder)));
const tests = filesBelow(join(root, 'test'));
const code = sources.filter((file) => !file.endsWith('.test.ts'));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(root, name)),
  ...filesBelow(join(root, 'docs'), '.md'),
];
const textOf = (file: string): string => readFileSync(file, 'utf8');
const named = (file: string): string => relative(root, file);

/** Files that `file` imports or spawns, by static import, dynamic import, or URL. */
const importsOf = (file: string): string[] => {
  const found = [...textOf(file).matchAll(/(?:from|import\(|import|new URL\()\s*'(\.{1,2}\/[^']+)'/g)];
  return found.map(([, path = '']) => resolve(dirname(file), path.replace(/\.js$/, '.ts')));
};

const importsAtRunTime = (file: string): string[] => {
  const text = textOf(file).replace(/^import type [^;]*;/gms, '');
  return [...text.matchAll(/^(?:import|export)[^;]*?from\s*'(\.{1,2}\/[^']+)'/gms)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
};

/** Entry programs: started by path, imported by nobody. */
const isProgram = (file: string): boolean => file.endsWith('-program.ts') || /\/(main|ackproof|index)\.ts$/.test(file);

test('no file imports itself in a circle', () => {
  const graph = new Map(code.map((file) => [file, importsAtRunTime(file)]));
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file].map(named).join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

test('every file is imported by somebody, or is a program', () => {
  const imported = new Set(code.flatMap(importsOf));
  expect(code.filter((file) => !imported.has(file) && !isProgram(file)).map(named)).toEqual([]);
});

test('no value is exported for nobody', () => {
  const readers = [...sources, ...tests, ...filesBelow(join(root, 'bench')), ...filesBelow(join(root, 'docs'), '.md')];
  const texts = new Map(readers.map((file) => [file, textOf(file)]));
  const exported = code.flatMap((file) =>
    [...(texts.get(file) ?? '').matchAll(/^export (?:async )?(?:const|function\*?|(?:abstract )?class) (\w+)/gm)].map(
      ([, name = '']) => ({ file, name }),
    ),
  );
  expect(exported.length).toBeGreaterThan(500);
  const words = new Map([...texts].map(([file, text]) => [file, new Set(text.match(/\w+/g))]));
  const alone = exported.filter(
    ({ file, name }) => ![...words].some(([other, known]) => other !== file && known.has(name)),
  );
  expect(alone.map(({ file, name }) => `${named(file)}: ${name}`)).toEqual([]);
});

test('no type has a name that means three things here', () => {
  const vague = code
    .filter((file) => !named(file).startsWith('src/wire/'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/^(?:export )?(?:interface|type|(?:abstract )?class) (\w*)/gm)]
        .filter(([, name = '']) => /(?:Message|Event|Test|Check|Chaos|Status)s?$/.test(name))
        .map(([, name = '']) => `${named(file)}: ${name}`),
    );
  expect(vague).toEqual([]);
});

test('every file opens with a comment that says what it is for', () => {
  const bare = [...code, ...tests].filter((file) => {
    const text = textOf(file).replace(/^#!.*\n/, '');
    return !text.startsWith('//') && !text.startsWith('/*') && !file.endsWith('.test.ts');
  });
  expect(bare.map(named)).toEqual([]);
});

test('no test is alone, skipped or left for later', () => {
  const off = [...sources, ...tests].filter((file) =>
    /\b(?:it|test|describe)\.(?:only|skip|todo|fails)\b/.test(textOf(file).replace(/\/\\b.*\/\./g, '')),
  );
  expect(off.map(named).filter((name) => name !== 'test/tidy.test.ts')).toEqual([]);
});

test('no code is unfinished by its own word', () => {
  const unfinished = code.filter((file) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(textOf(file)));
  expect(unfinished.map(named)).toEqual([]);
});

test('no file is longer than 400 lines', () => {
  const long = [...sources, ...tests].filter((file) => textOf(file).split('\n').length > 401);
  expect(long.map(named)).toEqual([]);
});

test('every fault and every checker has a test', () => {
  const folders = ['src/faults', 'src/ledger/checkers'];
  const missing = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => folder !== 'src/faults' || (FAULTS as readonly string[]).includes(name.replace('.ts', '')))
      .filter((name) => name !== 'registry.ts' && name !== 'checker.ts')
      .map((name) => join(root, folder, name))
      .filter((file) => !sources.includes(file.replace(/\.ts$/, '.test.ts'))),
  );
  expect(missing.map(named)).toEqual([]);
});

test('the lists of names are sorted and hold each name once', () => {
  for (const list of [ANOMALIES, DEFECTS, FAULTS]) expect([...list]).toEqual([...new Set(list)].sort());
});

test('nothing names a registry host or a path of somebody’s machine', () => {
  const hosts = /https?:\/\/(?:registry|repo\d*|proxy|static|deb|files)\./;
  const paths = /(?<![\w.-])\/(?:tmp|home|Users|root|work)\/\w/;
  const guilty = [...sources, ...tests, ...pages].filter((file) => {
    const text = textOf(file).replace(/const (?:hosts|paths) = .*/g, '');
    return hosts.test(text) || paths.test(text);
  });
  expect(guilty.map(named)).toEqual([]);
});

test('every document that a comment points to is here, by its path or by its name in docs/', () => {
  const isHere = (name: string): boolean => existsSync(join(root, name)) || existsSync(join(root, 'docs', name));
  const lost = [...sources, ...tests].flatMap((file) => {
    const comments = textOf(file).match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? [];
    const names = comments.flatMap((line) => line.match(/[\w./-]+\.md\b/g) ?? []);
    return names.filter((name) => !isHere(name)).map((name) => `${named(file)}: ${name}`);
  });
  expect(lost).toEqual([]);
});

/** What `pattern` captures in a file of the repository; each place of it. */
const versionsIn = (file: string, pattern: RegExp): readonly (string | undefined)[] =>
  [...textOf(join(root, file)).matchAll(pattern)].map(([, version]) => version);

test.each([
  ['Kafka', /apache\/kafka:([^}\s]+)/gu, 'docker/kafka/pom.xml', /<kafka\.version>(.*)<\/kafka\.version>/gu],
  ['Toxiproxy', /shopify\/toxiproxy:([^}\s]+)/gu, 'docker/toxiproxy/fetch.sh', /^version=(.*)$/gmu],
] as const)('%s is built in the version that is pulled', (_, pulled, recipe, built) => {
  const versions = [...versionsIn('docker-compose.yml', pulled), ...versionsIn(recipe, built)];
  expect(versions.length).toBeGreaterThan(1);
  expect(new Set(versions).size, `docker-compose.yml and ${recipe} name ${versions.join(' and ')}`).toBe(1);
});
