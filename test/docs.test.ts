// Keeps the README and the pages beside it honest: what they name exists, what they show can be pasted.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { EXIT_CODES } from '../bin/exit-codes.ts';
import { catalogue } from '../src/catalogue.ts';
import { validateFiles } from '../src/scenarios/loader.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'ackproof-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The contents of every fenced block of one language. */
const blocks = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gmsu'))].map((found) => found[1] ?? '');

/** Code of a page as it is written: in fences of shells and CI files, and between backticks. */
const codeOf = (text: string): readonly string[] => [
  ...['sh', 'yaml'].flatMap((language) => blocks(text, language)).flatMap((block) => block.split('\n')),
  ...[...text.matchAll(/`([^`\n]+)`/gu)].map((found) => found[1] ?? ''),
];

const PROGRAM = /(?:ackproof(?:\.js)?) +([a-z][a-z0-9-]*)(.*)$/u;

/** Every `ackproof COMMAND …` of a text. */
const invocations = (text: string): readonly { readonly command: string; readonly rest: string }[] =>
  codeOf(text).flatMap((line) => {
    const found = PROGRAM.exec(line);
    return found === null ? [] : [{ command: found[1] ?? '', rest: found[2] ?? '' }];
  });

const sourceOf = (command: string): string => {
  const file = join(root, 'bin', 'commands', `${command}.ts`);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The problems of a file with `content`, in words. */
const problemsOf = (name: string, content: string): readonly string[] => {
  const file = join(scratch, name);
  writeFileSync(file, content);
  return validateFiles([file], {}).flatMap(({ problems }) => problems.map((problem) => problem.describe()));
};

/** What a page shows of a file is laid over a whole one: a target of the page's kind, or a drill of it. */
const wholeFile = (kind: string, shown: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if ('apiVersion' in shown) return shown;
  const target = join(scratch, `${kind}.yaml`);
  const servers = kind === 'external' ? { name: 'staging', bootstrapServers: ['kafka-1.example.com:9093'] } : {};
  const spec = { apiVersion: 'ackproof/v1', kind, ...servers };
  if (!('faults' in shown) && !('workload' in shown)) return { ...spec, ...shown };
  writeFileSync(target, stringify(spec));
  const drill = parse(readFileSync(join(root, 'scenarios', 'kafka', 'no-fault.yaml'), 'utf8')) as { workload: object };
  const workload = { ...drill.workload, ...(shown['workload'] as object | undefined), duration: '60s' };
  return { ...drill, baseline: !('faults' in shown), control: false, ...shown, workload, target };
};

describe('the pages of targets', () => {
  const kinds = readdirSync(join(root, 'docs', 'targets')).map((name) => name.replace(/\.md$/u, ''));
  const shown = kinds.flatMap((kind) =>
    blocks(readFileSync(join(root, 'docs', 'targets', `${kind}.md`), 'utf8'), 'yaml').map((block) => ({ kind, block })),
  );

  test('show parts of files', () => expect(shown.length).toBeGreaterThan(5));

  test.each(shown)('show what can be written into a file of $kind: $block', ({ kind, block }) => {
    const whole = wholeFile(kind, parse(block) as Readonly<Record<string, unknown>>);
    expect(problemsOf(`${kind}-shown.yaml`, stringify(whole))).toEqual([]);
  });
});

describe('the README', () => {
  test('shows scenarios that are valid', () => {
    const scenarios = blocks(readme, 'yaml').filter((block) => block.includes('apiVersion:'));
    expect(scenarios).not.toEqual([]);
    for (const [index, scenario] of scenarios.entries()) {
      expect(problemsOf(`example-${index}.yaml`, scenario)).toEqual([]);
    }
  });

  test('shows CI steps that are YAML and run something', () => {
    const steps = blocks(readme, 'yaml').filter((block) => !block.includes('apiVersion:'));
    expect(steps).not.toEqual([]);
    for (const step of steps) expect(parse(step)).toContainEqual(expect.objectContaining({ run: expect.any(String) }));
  });

  test('names commands and options that exist', () => {
    const used = invocations(readme);
    expect(used.length).toBeGreaterThan(5);
    for (const { command, rest } of used) {
      expect(sourceOf(command), command).toContain(`'${command}`);
      for (const [, option] of rest.matchAll(/--([a-z-]+)/gu))
        expect(sourceOf(command), command).toContain(`${option}`);
    }
  });

  test('names every command in its table', () => {
    const table = readme.slice(readme.indexOf('## Commands'), readme.indexOf('## In CI'));
    for (const file of readdirSync(join(root, 'bin', 'commands'))) {
      const command = file.replace(/\.ts$/u, '');
      if (sourceOf(command).includes('defineCommand(')) expect(table).toMatch(new RegExp(`\`${command}\\b`, 'u'));
    }
  });

  test('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const used = [...readme.matchAll(/npm (?:run )?(?!ci\b|install\b|pack\b)([a-z][a-z:]*)/gu)].map(
      (found) => found[1],
    );
    expect(used).not.toEqual([]);
    for (const script of used) expect(Object.keys(scripts)).toContain(script);
  });

  test('has the exit codes of bin/exit-codes.ts, all of them and in their order', () => {
    const codes = [...readme.matchAll(/^\| (\d+) \| /gmu)].map((found) => Number(found[1]));
    expect(codes).toEqual(EXIT_CODES.map(({ code }) => code));
  });

  test('names anomalies and defects that exist after explain and --defect', async () => {
    const known = (await Promise.all((['anomalies', 'defects', 'faults'] as const).map(catalogue))).flat();
    const used = [...readme.matchAll(/(?:explain|--defect) ([a-z]+(?:-[a-z]+)+)/gu)].map((found) => found[1]);
    expect(used).not.toEqual([]);
    for (const name of used) expect(known.map((entry) => entry.name)).toContain(name);
  });
});

/** What the links of a page point to, without addresses on the web and places within a page. */
const linksOf = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/gu)]
    .map((found) => (found[1] ?? '').replace(/#.*$/u, ''))
    .filter((link) => link !== '' && !link.includes('://'));

test.each(pages)('%s links to files that exist', (page) => {
  const missing = linksOf(page).filter((link) => !existsSync(join(root, dirname(page), link)));
  expect(missing).toEqual([]);
});

test('the README names files that exist', () => {
  const named = [...readme.matchAll(/(?<![\w/.-])((?:scenarios|docs|test|src|bin)\/[\w./-]+\.(?:yaml|ts|md|png))/gu)];
  expect(named.length).toBeGreaterThan(3);
  for (const found of named) expect(existsSync(join(root, found[1] ?? '')), found[1]).toBe(true);
});
