// The files of storage drills, most of which are for systems that cannot be started here: what can be known of them without.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseRule } from '../src/s3-proxy/rule-schema.ts';
import { validateFiles } from '../src/scenarios/loader.ts';

const root = resolve(import.meta.dirname, '..', 'scenarios');
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(root, folder, name));

interface TargetFile {
  readonly kind: string;
  readonly name: string;
  readonly commands?: Readonly<
    Record<string, { readonly inject: readonly string[]; readonly heal: readonly string[] }>
  >;
}

interface ScenarioFile {
  readonly target: string;
  readonly faults: readonly {
    readonly fault: string;
    readonly duration: string;
    readonly params: { readonly name: string };
  }[];
}

const targets = filesIn('targets').map((file) => parse(readFileSync(file, 'utf8')) as TargetFile);

test.each([...filesIn('storage'), ...filesIn('targets')])('%s is valid', (file) => {
  expect(validateFiles([file], {}).flatMap(({ problems }) => problems.map((problem) => problem.describe()))).toEqual(
    [],
  );
});

describe('rules that target files order of the S3 fault proxy', () => {
  const ordered = targets.flatMap(({ name, commands = {} }) =>
    Object.entries(commands)
      .filter(([, { inject }]) => inject[1]?.endsWith('rule.mjs') === true)
      .map(([command, { inject, heal }]) => ({ target: name, command, inject, heal })),
  );

  test('are there', () => expect(new Set(ordered.map(({ target }) => target)).size).toBeGreaterThanOrEqual(5));

  test.each(ordered)('$command of $target is one that the proxy takes, and ends it by its name', (each) => {
    const [, , , order, id, rule] = each.inject;
    expect([order, id]).toEqual(['add', each.command]);
    expect(parseRule({ ...(JSON.parse(rule ?? '') as object), id })).toMatchObject({ id });
    expect(each.heal.slice(-2)).toEqual(['end', each.command]);
  });

  /** The rules that a scenario's faults order, with how long each is to act, s. */
  const orderedBy = (file: string): readonly { readonly inject: readonly string[]; readonly seconds: number }[] => {
    const { faults, target } = parse(readFileSync(file, 'utf8')) as ScenarioFile;
    const { commands = {} } = parse(readFileSync(resolve(root, 'storage', target), 'utf8')) as TargetFile;
    return faults
      .filter(({ fault }) => fault === 'command')
      .map(({ duration, params }) => ({
        inject: commands[params.name]?.inject ?? [],
        seconds: Number.parseInt(duration, 10),
      }));
  };

  // A rule that outlives its fault by far would be there for the next one; one that dies before it heals nothing.
  test.each(filesIn('storage'))('%s orders only what its target has, and ends before a rule dies by itself', (file) => {
    for (const { inject, seconds } of orderedBy(file)) {
      expect(inject).not.toEqual([]);
      if (inject[1]?.endsWith('rule.mjs') !== true) continue;
      const { ttlMs } = JSON.parse(inject.at(-1) ?? '') as { readonly ttlMs: number };
      expect(ttlMs).toBeGreaterThan((seconds + 60) * 1000);
    }
  });
});
