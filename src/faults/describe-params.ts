// The parameters of a fault in words, from the same shape that reads them, for `explain`, the reference page and plans.
import { z } from 'zod';
import { formatDuration, formatSize, UNIT_PATTERNS } from '../units.ts';

interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example));

const valuesOf = (schema: ParamSchema): string => {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.properties !== undefined) return `{${Object.keys(schema.properties).join(', ')}}`;
  return schema.examples === undefined ? (schema.type ?? 'any') : `such as ${schema.examples.map(textOf).join(', ')}`;
};

const propertiesOf = (params: z.ZodRawShape) =>
  z.toJSONSchema(z.object(params), { io: 'input', unrepresentable: 'any' });

/** A value that was read, with the unit it is written with. */
const written = (value: unknown, { pattern }: ParamSchema): string => {
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  switch (pattern) {
    case UNIT_PATTERNS.duration:
      return formatDuration(value);
    case UNIT_PATTERNS.size:
      return formatSize(value);
    case UNIT_PATTERNS.rate:
      return `${value}/s`;
    case UNIT_PATTERNS.percent:
      return `${value}%`;
    default:
      return String(value);
  }
};

/** What is in force, one `name: value` for each parameter that has one, those left out with what they are then. */
export const writtenParams = (params: z.ZodRawShape, values: Readonly<Record<string, unknown>>): readonly string[] => {
  const { properties = {} } = propertiesOf(params);
  return Object.entries(properties).flatMap(([name, property]) =>
    values[name] === undefined ? [] : [`${name}: ${written(values[name], property as ParamSchema)}`],
  );
};

/** One line for each parameter: `mode: refuse | blackhole (refuse if left out)`; required ones say so. Empty without any. */
export const describeParams = (params: z.ZodRawShape): readonly string[] => {
  const { properties = {}, required = [] } = propertiesOf(params);
  return Object.entries(properties).map(([name, property]) => {
    const schema = property as ParamSchema;
    const preset = schema.default === undefined ? undefined : JSON.stringify(schema.default).replaceAll('"', '');
    const optional = preset === undefined ? 'may be left out' : `${preset} if left out`;
    const unsaid = required.includes(name) ? 'required' : optional;
    return `${name}: ${valuesOf(schema)} (${unsaid})`;
  });
};
