// The parameters of a fault in words, from the same shape that reads them, for `explain` and the reference page.
import { z } from 'zod';

interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example));

const valuesOf = (schema: ParamSchema): string => {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.properties !== undefined) return `{${Object.keys(schema.properties).join(', ')}}`;
  return schema.examples === undefined ? (schema.type ?? 'any') : `such as ${schema.examples.map(textOf).join(', ')}`;
};

/** One line for each parameter: `mode: refuse | blackhole (refuse if left out)`; required ones say so. Empty without any. */
export const describeParams = (params: z.ZodRawShape): readonly string[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(params), { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const schema = property as ParamSchema;
    const preset = schema.default === undefined ? undefined : JSON.stringify(schema.default).replaceAll('"', '');
    const optional = preset === undefined ? 'may be left out' : `${preset} if left out`;
    const unsaid = required.includes(name) ? 'required' : optional;
    return `${name}: ${valuesOf(schema)} (${unsaid})`;
  });
};
