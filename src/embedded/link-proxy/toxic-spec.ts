// From the JSON of a request to a toxic, and back. Unlike Toxiproxy, values that make no sense are refused instead of stored;
// attributes nobody knows are ignored, as there, and so are missing in the answer.
import { badRequestBody, invalidStream, invalidToxicType } from './api-error.ts';
import type { Attributes, Stream, Toxic, ToxicType } from './stage.ts';
import { TOXICS } from './toxics/registry.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ToxicJson {
  readonly attributes: Attributes;
  readonly name: string;
  readonly type: string;
  readonly stream: Stream;
  readonly toxicity: number;
}

/** The body of a request as an object. Throws 400. */
export const asFields = (value: unknown): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequestBody('not a JSON object');
  return value as Fields;
};

const attributesOf = (type: ToxicType, given: unknown, before: Attributes): Attributes => {
  const fields = given === undefined || given === null ? {} : asFields(given);
  const attributes: Record<string, number> = {};
  for (const name of type.attributes) {
    const value = fields[name] ?? before[name] ?? 0;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw badRequestBody(`attribute ${name} is not a whole number from 0`);
    }
    attributes[name] = value;
  }
  const problem = type.check?.(attributes);
  if (problem !== undefined) throw badRequestBody(problem);
  return attributes;
};

const toxicityOf = (given: unknown, fallback: number): number => {
  const toxicity = given ?? fallback;
  if (typeof toxicity !== 'number' || !(toxicity >= 0 && toxicity <= 1)) {
    throw badRequestBody('toxicity is not a number from 0 to 1');
  }
  return toxicity;
};

/** Throws 400 for a type, stream or value that cannot be. */
export const newToxic = (body: unknown): Toxic => {
  const fields = asFields(body);
  const stream = fields['stream'] ?? 'downstream';
  if (stream !== 'upstream' && stream !== 'downstream') throw invalidStream();
  const type = TOXICS.find((known) => known.type === fields['type']);
  if (type === undefined) throw invalidToxicType(TOXICS.map((known) => known.type));
  const name = fields['name'] ?? '';
  if (typeof name !== 'string') throw badRequestBody('name is not a text');
  return {
    name: name === '' ? `${type.type}_${stream}` : name,
    type,
    stream,
    toxicity: toxicityOf(fields['toxicity'], 1),
    attributes: attributesOf(type, fields['attributes'], {}),
  };
};

/** The toxic with the attributes and the toxicity of the body laid over it; its name, type and stream never change. */
export const changedToxic = (toxic: Toxic, body: unknown): Toxic => {
  const fields = asFields(body);
  return {
    ...toxic,
    toxicity: toxicityOf(fields['toxicity'], toxic.toxicity),
    attributes: attributesOf(toxic.type, fields['attributes'], toxic.attributes),
  };
};

export const toxicJson = (toxic: Toxic): ToxicJson => ({
  attributes: toxic.attributes,
  name: toxic.name,
  type: toxic.type.type,
  stream: toxic.stream,
  toxicity: toxic.toxicity,
});
