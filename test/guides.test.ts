// Keeps the guides of docs/guides honest: the files and names they mention exist, and their examples are the code itself.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'docs', 'guides');
const guides = readdirSync(folder).filter((name) => name !== 'README.md');

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** What stands between single backticks, outside of fences. */
const quoted = (page: string): readonly string[] =>
  [...page.replaceAll(/^```.*?^```$/gmsu, '').matchAll(/`([^`\n]+)`/gu)].map((found) => found[1] ?? '');

const isPath = (text: string): boolean => /^(?:[\w-]+\/)+[\w.-]*$|^[\w.-]+\.(?:js|json)$/u.test(text);

/** Types, constants and functions: words with a capital letter in them, without a dot or a blank. */
const isName = (text: string): boolean => /^[A-Za-z]\w*[A-Z]\w*$|^[A-Z][a-z]\w+$|^[A-Z_]{4,}$/u.test(text);

const pathsOf = (page: string): readonly string[] => [...new Set(quoted(page).filter(isPath))];

/** Every example with the file that the text before it names last. */
const examplesOf = (page: string): readonly { readonly code: string; readonly file: string }[] =>
  [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map((found) => {
    const before = page.slice(page.indexOf('## The smallest example'), found.index);
    return { code: found[1] ?? '', file: pathsOf(before)[0] ?? '' };
  });

test('there is a guide for each kind of thing that one adds, and the overview names them all', () => {
  const overview = textOf(join(folder, 'README.md'));
  expect(guides.length).toBe(6);
  for (const guide of guides) expect(overview).toContain(`(${guide})`);
  for (const path of pathsOf(overview)) expect(existsSync(join(root, path)), path).toBe(true);
});

test('the map and the page for contributors lead to the guides', () => {
  expect(textOf(join(root, 'CONTRIBUTING.md'))).toContain('(docs/guides/README.md)');
  expect(textOf(join(root, 'docs', 'architecture.md'))).toContain('(guides/README.md)');
});

describe.each(guides)('%s', (guide) => {
  const page = textOf(join(folder, guide));

  test('begins with the contract and fits on a page', () => {
    expect(/^## (.*)$/mu.exec(page)?.[1]).toBe('The contract');
    expect(page.split('\n').length).toBeLessThanOrEqual(70);
  });

  test('names files that exist', () => {
    const paths = pathsOf(page);
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names types, lists and functions that the code knows by these names', () => {
    const names = quoted(page).filter(isName);
    expect(names.length).toBeGreaterThan(1);
    const code = pathsOf(page)
      .filter((path) => /\.(?:ts|js)$/u.test(path))
      .map((path) => textOf(join(root, path)))
      .join('\n');
    const unknown = names.filter((name) => {
      const isExported = new RegExp(`export (?:const|class|interface|type|function) ${name}\\b`, 'u').test(code);
      const isMember = /^[a-z]/u.test(name) && new RegExp(`\\b${name}\\??[(:]`, 'u').test(code);
      return !isExported && !isMember;
    });
    expect(unknown).toEqual([]);
  });

  test('shows an example that is the code itself', () => {
    const examples = examplesOf(page);
    expect(examples).toHaveLength(1);
    for (const { code, file } of examples) expect(textOf(join(root, file))).toContain(code);
  });
});
