// Random bodies for any row of the message table in any version, as fast-check arbitraries. Fields that a version lacks are at
// their default, so that a decoded body can be compared with the generated one.
import fc from 'fast-check';
import type { AnyField, ElementType, Primitive, Shape } from '../../src/wire/schema.ts';

const PRIMITIVES: Readonly<Record<Primitive, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32768, max: 32767 }),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  logOffset: fc.integer({ min: -(2 ** 51), max: 2 ** 51 }),
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  string: fc.string({ unit: 'grapheme', maxLength: 12 }),
  bytes: fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes)),
};

const elementArbitrary = (type: ElementType, version: number): fc.Arbitrary<unknown> =>
  typeof type === 'object' ? bodyArbitrary(type.struct, version) : PRIMITIVES[type];

const fieldArbitrary = (field: AnyField, version: number): fc.Arbitrary<unknown> => {
  if (version < field.since || version > field.until) return fc.constant(field.fallback);
  const value =
    typeof field.type === 'object' && 'arrayOf' in field.type
      ? fc.array(elementArbitrary(field.type.arrayOf, version), { maxLength: 3 })
      : elementArbitrary(field.type, version);
  return version >= field.nullableSince ? fc.option(value) : value;
};

/** Bodies of one shape that can exist in one version. */
export const bodyArbitrary = (shape: Shape, version: number): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.record(Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, fieldArbitrary(field, version)])));
