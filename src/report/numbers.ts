// Numbers as every format prints them: grouped, with their unit, the same on every machine.

/** `41,250` */
export const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/gu, ',');

/** `1 record`, `2 records`, `1,204 records`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** `84 ms`, `1.28 s`, `12.2 s`, `4 min 05 s`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
};

/** A moment of the run, `4.293 s`. */
export const moment = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

/** `512 B`, `7.7 MiB`. */
export const bytes = (count: number): string => {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (count < 1024) return `${Math.round(count)} B`;
  const power = Math.min(units.length, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(1)} ${units[power - 1] ?? 'B'}`;
};

/** `8812`, `8812-8814`. */
export const rangeText = ({ first, last }: { readonly first: number; readonly last: number }): string =>
  first === last ? String(first) : `${first}-${last}`;
