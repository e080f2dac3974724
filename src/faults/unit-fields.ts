// Zod fields for quantities with units. What is written is a string (`5s`), what comes out is a number in the base unit:
// milliseconds, bytes, events per second, percent. A default is written the same way, so that the JSON Schema shows it so.
import { z } from 'zod';
import { parseDuration, parsePercent, parseRate, parseSize, UNIT_PATTERNS, type UnitReading } from '../units.ts';

interface Limits {
  readonly min?: string;
  readonly max?: string;
}

type Reader = (written: unknown) => UnitReading;

const limit = (reader: Reader, written: string | undefined): number | undefined => {
  const reading = written === undefined ? undefined : reader(written);
  return reading?.ok === true ? reading.value : undefined;
};

const unitField = (reader: Reader, pattern: string, example: string, limits: Limits) => {
  const min = limit(reader, limits.min) ?? 0;
  const max = limit(reader, limits.max) ?? Infinity;
  return z
    .string({
      error: (issue) => {
        const reading = reader(issue.input);
        if (issue.input === undefined) return `Missing; write it like ${example}.`;
        return reading.ok ? undefined : `${reading.problem.message} ${reading.problem.hint}`;
      },
    })
    .meta({ pattern, examples: [example] })
    .transform((written, context): number => {
      const reading = reader(written);
      if (!reading.ok) {
        context.addIssue({ code: 'custom', message: `${reading.problem.message} ${reading.problem.hint}` });
        return z.NEVER;
      }
      if (reading.value < min || reading.value > max) {
        const range = limits.max === undefined ? `at least ${limits.min ?? 0}` : `${limits.min ?? 0} to ${limits.max}`;
        context.addIssue({ code: 'custom', message: `"${written}" is out of range; it must be ${range}.` });
        return z.NEVER;
      }
      return reading.value;
    });
};

/** `5s` → 5000. Limits are written with units too. */
export const durationField = (limits: Limits = {}) => unitField(parseDuration, UNIT_PATTERNS.duration, '5s', limits);

/** `64KiB` → 65536. */
export const sizeField = (limits: Limits = {}) => unitField(parseSize, UNIT_PATTERNS.size, '64KiB', limits);

/** `2000/s` → 2000. */
export const rateField = (limits: Limits = {}) => unitField(parseRate, UNIT_PATTERNS.rate, '2000/s', limits);

/** `50%` → 50. */
export const percentField = (limits: Limits = {}) => unitField(parsePercent, UNIT_PATTERNS.percent, '50%', limits);
