// The parameters of a fault in words, from the same shape that reads them, for `explain` and the reference page.
import { z } from 'zod';

interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

const valuesOf = (schema: ParamSchema): string => {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  return schema.examples === undefined ? (schema.type ?? 'any') : `such as ${schema.examples.map(String).join(', ')}`;
};

/** One line for each parameter: `mode: refuse | blackhole (refuse if left out)`; required ones say so. Empty without any. */
export const describeParams = (params: z.ZodRawShape): readonly string[] => {
  const { properties = {} } = z.toJSONSchema(z.object(params), { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const schema = property as ParamSchema;
    const unsaid =
      schema.default === undefined ? 'required' : `${JSON.stringify(schema.default).replaceAll('"', '')} if left out`;
    return `${name}: ${valuesOf(schema)} (${unsaid})`;
  });
};
