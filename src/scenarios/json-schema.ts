// The JSON Schemas (draft-07, which the YAML language server speaks) of scenario and target files, made from the same Zod
// schemas that the loader uses, so that an editor and `validate` cannot disagree.
import { z } from 'zod';
import { targetSpecSchema } from '../targets/target-spec.ts';
import { scenarioSchema } from './scenario-schema.ts';

const emit = (schema: z.ZodType, title: string): Readonly<Record<string, unknown>> => ({
  ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }),
  title,
});

/** File name below `schema/` → schema. */
export const jsonSchemas = (): Readonly<Record<string, Readonly<Record<string, unknown>>>> => ({
  'scenario.schema.json': emit(scenarioSchema, 'ackproof scenario'),
  'target.schema.json': emit(targetSpecSchema, 'ackproof target'),
});
