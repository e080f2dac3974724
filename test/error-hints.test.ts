// Every error that a person can see says what to do: a hint stands where it is made, or its class has one. The table below names
// those whose message itself is what to do.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { DeadlineError, InternalError } from '../src/errors.ts';

const root = resolve(import.meta.dirname, '..');

/** By code, or by the expression that makes it: the message lists what may be written instead. */
const SAYS_IT_ITSELF: ReadonlySet<string> = new Set([
  "'BROKERS_UNUSABLE'",
  "'FAIL_ON_UNKNOWN'",
  "'HEAL_WHICH'",
  "'REPORT_UNKNOWN'",
  "'SEED_UNUSABLE'",
  '`${prefix}_${code}`',
  '`${prefix}_UNKNOWN_KEY`',
  // Of src/scenarios/scenario-checks.ts.
  'code',
]);

/** The embedded cluster is a program of its own, whose errors are answers to requests. */
const isOurs = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes(join('src', 'embedded'));

const files = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, folder, name))
    .filter(isOurs),
);

/** `file: code` of each error that is made in a file without a hint. */
const withoutHint = (file: string): readonly string[] => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /\b(?:Environment|Input|Usage)Error$/u.test(node.expression.getText())) {
      const [code, , details] = node.arguments ?? [];
      const said = code?.getText() ?? '';
      const hint = /\bhint\b|\bdetails\b|\.\.\./u.test(details?.getText() ?? '');
      if (!hint && !SAYS_IT_ITSELF.has(said)) found.push(`${relative(root, file)}: ${said}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

test('every error says what to do', () => {
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap(withoutHint)).toEqual([]);
});

test('errors of these kinds say it by themselves, unless something better is said', () => {
  expect(new InternalError('X', 'It broke.').describe()).toMatch(
    /^X — It broke\. This is a fault of ackproof; please/u,
  );
  expect(new InternalError('X', 'It broke.', { hint: 'Do that.' }).hint).toBe('Do that.');
  expect(new DeadlineError('it', 5, 'nothing').hint).toMatch(/^See why it did not come/u);
});
