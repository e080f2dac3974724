// Each part of a run has a topic of its own, named after the run; a reader knows it by the scenario's name for it.
import type { PartRecord } from '../ledger/run-record.ts';

/** `text` with the run's own topic names as the scenario has them: `ackproof-<run>-main-orders` becomes `orders`. */
export const withAliases = (text: string, runId: string): string => {
  const parts: readonly PartRecord['part'][] = ['preflight', 'control', 'main'];
  return parts.reduce((shown, part) => shown.replaceAll(`ackproof-${runId}-${part}-`, ''), text);
};

/** The topic names of any run, where nobody says which run it was. */
const ANY_RUN = /ackproof-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[a-z0-9-]+?-[0-9a-f]{4}-(?:preflight|control|main)-/g;

/** `withAliases` for a text of a run that is not known by name. */
export const withAnyAliases = (text: string): string => text.replaceAll(ANY_RUN, '');

/** The same in every text of a value, keys excepted. */
export const withAliasesIn = <T>(value: T, runId: string): T => {
  if (typeof value === 'string') return withAliases(value, runId) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withAliasesIn(item, runId)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withAliasesIn(item as unknown, runId)]),
  ) as T;
};
