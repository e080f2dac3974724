// Quantities as people write them: `5s`, `200ms`, `64KiB`, `2000/s`, `50%`. The one thing to know: a bare number is refused,
// because `10` of unknown unit is how a ten-second fault becomes a ten-millisecond one.

export type UnitProblemKind = 'bare-number' | 'unknown-unit' | 'not-a-quantity' | 'out-of-range';

/** Why a text is no quantity, and what to write instead; both are sentences. */
export interface UnitProblem {
  readonly kind: UnitProblemKind;
  readonly message: string;
  readonly hint: string;
}

export type UnitReading =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly problem: UnitProblem };

interface Quantity {
  readonly name: string;
  /** How many of the result's unit one of this unit is. */
  readonly units: Readonly<Record<string, number>>;
  readonly example: string;
  /** Whether the result must be a whole number (bytes). */
  readonly whole: boolean;
  readonly max: number;
}

const DURATION: Quantity = {
  name: 'duration',
  units: { ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
  example: '5s or 200ms',
  whole: false,
  max: 7 * 24 * 3_600_000,
};

const SIZE: Quantity = {
  name: 'size',
  units: {
    B: 1,
    KB: 1000,
    MB: 1000 ** 2,
    GB: 1000 ** 3,
    KiB: 1024,
    MiB: 1024 ** 2,
    GiB: 1024 ** 3,
    TiB: 1024 ** 4,
  },
  example: '512B or 64KiB',
  whole: true,
  max: Number.MAX_SAFE_INTEGER,
};

const RATE: Quantity = {
  name: 'rate',
  units: { '/s': 1, '/m': 1 / 60, '/h': 1 / 3600 },
  example: '2000/s',
  whole: false,
  max: 1e9,
};

const PERCENT: Quantity = { name: 'percentage', units: { '%': 1 }, example: '50%', whole: false, max: 100 };

const SHAPE = /^(-?\d+(?:\.\d+)?)\s*(\S*)$/;

const refusal = (kind: UnitProblemKind, message: string, hint: string): UnitReading => ({
  ok: false,
  problem: { kind, message, hint },
});

/** What is no quantity, as its writer would know it again. */
const shown = (written: unknown): string => {
  if (written === null || written === undefined) return 'Nothing';
  if (Array.isArray(written)) return 'A list';
  if (typeof written === 'object') return 'A mapping';
  return typeof written === 'number' ? String(written) : JSON.stringify(written);
};

/** `5s` → its digits and its unit; a problem where it is no text, or has no unit. */
const split = (quantity: Quantity, written: unknown): { digits: string; unit: string } | UnitReading => {
  const { name, units, example } = quantity;
  if (typeof written === 'number' && Number.isFinite(written)) {
    const hint = `Write its unit behind it (${Object.keys(units).join(', ')}), like ${example}.`;
    return refusal('bare-number', `${written} has no unit, so it is no ${name}.`, hint);
  }
  const write = `Write it like ${example}.`;
  const match = typeof written === 'string' ? SHAPE.exec(written.trim()) : null;
  if (match === null) return refusal('not-a-quantity', `${shown(written)} is no ${name}.`, write);
  const [, digits = '', unit = ''] = match;
  if (unit === '') return refusal('bare-number', `"${digits}" has no unit, so it is no ${name}.`, write);
  return { digits, unit };
};

const read = (quantity: Quantity, written: unknown): UnitReading => {
  const { name, units, example, whole, max } = quantity;
  const parts = split(quantity, written);
  if ('ok' in parts) return parts;
  const { digits, unit } = parts;
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor === undefined) {
    const known = Object.keys(units).join(', ');
    return refusal('unknown-unit', `"${unit}" is no unit of a ${name}.`, `Units: ${known}; for example ${example}.`);
  }
  const exact = Number(digits) * factor;
  const value = whole ? exact : Math.round(exact * 1e6) / 1e6;
  const usable = value >= 0 && value <= max && (!whole || Number.isSafeInteger(value));
  if (usable) return { ok: true, value };
  const limits = whole ? 'a whole number of at least 0' : `from 0 to ${max / factor}${unit}`;
  return refusal('out-of-range', `"${digits}${unit}" is out of range for a ${name}.`, `It must be ${limits}.`);
};

/** `200ms`, `5s`, `2m`, `1h` → milliseconds, from 0 to seven days. */
export const parseDuration = (written: unknown): UnitReading => read(DURATION, written);

/** `512B`, `64KiB`, `10MB` → bytes, a whole number. */
export const parseSize = (written: unknown): UnitReading => read(SIZE, written);

/** `2000/s`, `30/m` → events per second. */
export const parseRate = (written: unknown): UnitReading => read(RATE, written);

/** `50%` → 50, from 0 to 100. */
export const parsePercent = (written: unknown): UnitReading => read(PERCENT, written);

const trimmed = (value: number): string => String(Math.round(value * 100) / 100);

/** Milliseconds as people say them: `200ms`, `1.5s`, `2m`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${trimmed(ms)}ms`;
  return ms < 120_000 ? `${trimmed(ms / 1000)}s` : `${trimmed(ms / 60_000)}m`;
};

/** Bytes as people say them: `512B`, `64KiB`. */
export const formatSize = (bytes: number): string => {
  const unit = ['TiB', 'GiB', 'MiB', 'KiB'].find((candidate) => bytes >= (SIZE.units[candidate] ?? Infinity));
  return unit === undefined ? `${bytes}B` : `${trimmed(bytes / (SIZE.units[unit] ?? 1))}${unit}`;
};

/** Patterns for the JSON Schema, so that an editor marks a bare number too. */
export const UNIT_PATTERNS = {
  duration: '^\\d+(\\.\\d+)?\\s*(ms|s|m|h)$',
  size: '^\\d+(\\.\\d+)?\\s*([KMG]?B|[KMGT]iB)$',
  rate: '^\\d+(\\.\\d+)?\\s*/[smh]$',
  percent: '^\\d+(\\.\\d+)?\\s*%$',
} as const;
