// What the store was asked and keeps, from the lines of a part's timeline, and, with the reader's prices, the product. Only what was
// counted is multiplied; what has no price is named, never guessed.
import { linesOf, type StorageLine } from '../ledger/storage-lines.ts';
import type { Prices, StorageCost, StorageUsage } from './model.ts';
import { bytes, grouped } from './numbers.ts';

const GIB = 1024 ** 3;

type UsageRow = StorageUsage['requests'][number];

const keptIn = (lines: readonly StorageLine[], when: 'before' | 'after'): number | undefined =>
  linesOf(lines, 'inventory')
    .findLast((line) => line.when === when)
    ?.prefixes.reduce((sum, prefix) => sum + prefix.bytes, 0);

/** Undefined where nothing was counted. */
export const usageOf = (lines: readonly StorageLine[]): StorageUsage | undefined => {
  const requests = linesOf(lines, 'requests').flatMap(({ stage, rows }) =>
    rows.flatMap(({ path, ...row }): readonly UsageRow[] => (path === 'harness' ? [] : [{ stage, path, ...row }])),
  );
  const before = keptIn(lines, 'before');
  const after = keptIn(lines, 'after');
  if (requests.length === 0 && after === undefined) return undefined;
  return {
    requests,
    ...(after === undefined ? {} : { keptBytes: after }),
    ...(after === undefined || before === undefined ? {} : { grownBytes: after - before }),
  };
};

/** A store does not charge for what it failed to do. */
const isCharged = ({ status }: UsageRow): boolean => status < 500;

const sum = (rows: readonly UsageRow[], key: 'requests' | 'requestBytes' | 'responseBytes'): number =>
  rows.reduce((all, row) => all + row[key], 0);

type CostLine = StorageCost['lines'][number];

const operationLines = (rows: readonly UsageRow[], { currency, per1000Requests }: Prices): readonly CostLine[] =>
  Object.entries(per1000Requests).flatMap(([operation, price]) => {
    const count = sum(
      rows.filter((row) => row.operation === operation),
      'requests',
    );
    if (count === 0) return [];
    const line = { what: operation, amount: `${grouped(count)} requests`, price: `${price} ${currency} per 1,000` };
    return [{ ...line, per: 'run', cost: (count / 1000) * price } as const];
  });

const byteLine = (what: string, count: number, price: number, currency: string): readonly CostLine[] =>
  price === 0
    ? []
    : [{ what, amount: bytes(count), price: `${price} ${currency} per GiB`, per: 'run', cost: (count / GIB) * price }];

/** The product of what was counted and the reader's prices. */
export const costOf = ({ requests, keptBytes }: StorageUsage, prices: Prices): StorageCost => {
  const { currency, per1000Requests, perGiB, perGiBMonth } = prices;
  const charged = requests.filter(isCharged);
  const lines: CostLine[] = [
    ...operationLines(charged, prices),
    ...byteLine('bytes to the store', sum(charged, 'requestBytes'), perGiB.toStore, currency),
    ...byteLine('bytes from the store', sum(charged, 'responseBytes'), perGiB.fromStore, currency),
  ];
  if (perGiBMonth !== undefined && keptBytes !== undefined) {
    const price = `${perGiBMonth} ${currency} per GiB and month`;
    const cost = (keptBytes / GIB) * perGiBMonth;
    lines.push({ what: 'bytes kept', amount: bytes(keptBytes), price, per: 'month', cost });
  }
  const operations = [...new Set(charged.map(({ operation }) => operation))].sort();
  return {
    currency,
    lines,
    total: lines.filter(({ per }) => per === 'run').reduce((all, { cost }) => all + cost, 0),
    unpriced: operations.filter((operation) => per1000Requests[operation] === undefined),
  };
};
