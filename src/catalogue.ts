// What there is: every registry as name and summary, and one name in a page. Behind `list` and `explain`, and for library
// users who want to show the same.
import { CLIENT_REGISTRY } from './clients/registry.ts';
import { InputError, nearestName, nearestNames } from './errors.ts';
import { describeParams } from './faults/describe-params.ts';
import { FAULT_REGISTRY } from './faults/registry.ts';
import { WRITTEN_VICTIMS } from './faults/victim-schema.ts';
import { ANOMALY_PAGES } from './ledger/anomaly-pages.ts';
import { REPORT_REGISTRY } from './report/registry.ts';
import { embeddedDefects, walsOf } from './targets/embedded-defects.ts';
import { TARGET_REGISTRY } from './targets/registry.ts';

export interface CatalogueEntry {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
}

export const CATALOGUE_KINDS = ['anomalies', 'clients', 'defects', 'faults', 'reports', 'targets'] as const;
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number];

const byKind = (entries: readonly { readonly kind: string; readonly summary: string }[]): readonly CatalogueEntry[] =>
  entries.map(({ kind, summary }) => ({ name: kind, summary }));

/** Every entry of one kind, sorted by name. */
export const catalogue = async (kind: CatalogueKind): Promise<readonly CatalogueEntry[]> => {
  switch (kind) {
    case 'anomalies':
      return Object.entries(ANOMALY_PAGES).map(([name, { summary }]) => ({ name, summary }));
    case 'clients':
      return byKind(CLIENT_REGISTRY);
    case 'defects':
      return (await embeddedDefects()).map(({ name, summary }) => ({ name, summary }));
    case 'faults':
      return byKind(FAULT_REGISTRY);
    case 'reports':
      return byKind(REPORT_REGISTRY);
    case 'targets':
      return byKind(TARGET_REGISTRY);
  }
};

const anomalyPage = (name: string): string | undefined => {
  const found = Object.entries(ANOMALY_PAGES).find(([anomaly]) => anomaly === name)?.[1];
  if (found === undefined) return undefined;
  return [
    `anomaly ${name}`,
    '',
    found.summary,
    '',
    `Usual cause: ${found.usualCause}`,
    `Look next:   ${found.lookNext}`,
  ].join('\n');
};

const faultPage = (name: string): string | undefined => {
  const found = FAULT_REGISTRY.find(({ kind }) => kind === name);
  if (found === undefined) return undefined;
  const { summary, recovery, requires, victims, params, duration, backends } = found;
  const needs: readonly string[] = 'needsAllow' in found ? found.needsAllow : [];
  const orElse = 'orElse' in found ? `, or ${found.orElse}` : '';
  const more: readonly string[] = 'mayAllow' in found ? found.mayAllow : [];
  const either: readonly string[] = 'requiresOneOf' in found ? found.requiresOneOf : [];
  return [
    `fault ${name}`,
    '',
    summary,
    '',
    `needs of the target: ${[...requires, ...(either.length === 0 ? [] : [either.join(' or ')])].join(', ')}${orElse}`,
    `victims:             ${victims.map((kind) => WRITTEN_VICTIMS[kind]).join(`\n${' '.repeat(21)}`)}`,
    `duration:            ${duration}`,
    `params:              ${describeParams(params).join(`\n${' '.repeat(21)}`) || 'none'}`,
    ...(backends.length > 1 ? [`backend:             auto | ${backends.join(' | ')} (auto if left out)`] : []),
    `recovery:            ${recovery}`,
    ...(needs.length === 0 ? [] : [`must be allowed:     allow: [${needs.join(', ')}]`]),
    ...(more.length === 0 ? [] : [`may be allowed, too: ${more.join(', ')}`]),
  ].join('\n');
};

const defectPage = async (name: string): Promise<string | undefined> => {
  const found = (await embeddedDefects()).find((defect) => defect.name === name);
  if (found === undefined) return undefined;
  const { summary, weakens, expected, bitesWhen } = found;
  return [
    `defect ${name} (embedded cluster only, off by default)`,
    '',
    summary,
    '',
    `weakens:    ${weakens}`,
    `must cause: ${expected.join(' or ')}`,
    `bites when: ${bitesWhen}`,
    `on targets: with wal: ${walsOf(found.name).join(' or ')}`,
  ].join('\n');
};

const plainPage = async (name: string): Promise<string | undefined> => {
  for (const kind of ['clients', 'reports', 'targets'] as const) {
    const found = (await catalogue(kind)).find((entry) => entry.name === name);
    if (found !== undefined) return `${kind.slice(0, -1)} ${name}\n\n${found.summary}`;
  }
  return undefined;
};

/** Names of what is called by another word: a fault by what performs it (`netns`). */
const byBackend = (name: string): readonly string[] => {
  const words: readonly string[] = name.toLowerCase().split(/[^a-z0-9]+/u);
  return FAULT_REGISTRY.filter(({ backends }) => backends.some((backend) => words.includes(backend))).map(
    ({ kind }) => kind,
  );
};

const MOST_NAMES = 3;

/** Whatever was written, with the names that are nearest to it. */
const advice = (name: string, known: readonly string[]): string => {
  const near = nearestName(name, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  const performed = byBackend(name);
  const names = performed.length > 0 ? performed : nearestNames(name, known, MOST_NAMES);
  return `The nearest names: ${names.slice(0, MOST_NAMES).join(', ')}.`;
};

/** The page of one anomaly, fault, defect, client, report or target. Throws InputError with the nearest names. */
export const explainName = async (name: string): Promise<string> => {
  const page = anomalyPage(name) ?? faultPage(name) ?? (await plainPage(name)) ?? (await defectPage(name));
  if (page !== undefined) return page;
  const known = (await Promise.all(CATALOGUE_KINDS.map(catalogue))).flat().map((entry) => entry.name);
  const hint = `${advice(name, known)} See all names with: ackproof list ${[...CATALOGUE_KINDS, 'exit-codes'].join('|')}.`;
  throw new InputError('NOTHING_OF_THAT_NAME', `Nothing is called "${name}".`, { hint });
};
