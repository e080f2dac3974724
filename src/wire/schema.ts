// The little language in which the message table is written. A shape lists the fields of a struct in the order of the wire;
// a field says in which versions it exists and what it is where it does not. The types of bodies follow from the shapes.

export type Primitive = 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'logOffset' | 'uuid' | 'string' | 'bytes';
export type ElementType = Primitive | { readonly struct: Shape };
export type FieldType = ElementType | { readonly arrayOf: ElementType };
export type Presence = 'required' | 'optional';

export interface FieldOptions<T> {
  /** First and last version that has the field. */
  readonly since?: number;
  readonly until?: number;
  /** First version in which the field may be null. */
  readonly nullableSince?: number;
  /** The value where a version lacks the field or a tag is not sent. Without it: zero, empty, false, the zero id. */
  readonly default?: T;
  /** The tag number, for fields of the tagged section. */
  readonly tag?: number;
}

/** T is what decoding yields, I what encoding accepts; an optional field may be left out when encoding. */
export interface Field<T, I, P extends Presence> {
  readonly type: FieldType;
  readonly since: number;
  readonly until: number;
  readonly nullableSince: number;
  readonly fallback: unknown;
  readonly tag: number | undefined;
  /** For the compiler only; never set. */
  readonly types?: readonly [decoded: T, input: I, presence: P];
}

export type AnyField = Field<unknown, unknown, Presence>;
export type Shape = Readonly<Record<string, AnyField>>;

type NamesOf<S extends Shape, P extends Presence> = {
  [K in keyof S]: S[K] extends Field<unknown, unknown, infer Q> ? (Q extends P ? K : never) : never;
}[keyof S];
type DecodedField<F> = F extends Field<infer T, unknown, Presence> ? T : never;
type InputField<F> = F extends Field<unknown, infer I, Presence> ? I : never;

/** What decoding a shape yields: every field of every version, absent ones at their default. */
export type Decoded<S extends Shape> = { readonly [K in keyof S]: DecodedField<S[K]> };
/** What encoding a shape accepts: as decoded, but fields with a default may be left out. */
export type Input<S extends Shape> = { readonly [K in NamesOf<S, 'required'>]: InputField<S[K]> } & {
  readonly [K in NamesOf<S, 'optional'>]?: InputField<S[K]>;
};

type OrNull<T, O> = O extends { readonly nullableSince: number } ? T | null : T;
type PresenceOf<O> = O extends { readonly since: number } | { readonly tag: number } | { readonly default: unknown }
  ? 'optional'
  : 'required';
type Made<T, I, O> = Field<OrNull<T, O>, OrNull<I, O>, PresenceOf<O>>;

const LAST_VERSION = 0x7fff;
const NEVER_NULL = LAST_VERSION + 1;

const makeField = <T, I, O extends FieldOptions<unknown>>(
  type: FieldType,
  zero: unknown,
  options: O | undefined,
): Made<T, I, O> => ({
  type,
  since: options?.since ?? 0,
  until: options?.until ?? LAST_VERSION,
  nullableSince: options?.nullableSince ?? NEVER_NULL,
  fallback: options?.default === undefined ? zero : options.default,
  tag: options?.tag,
});

const primitive =
  <T>(type: Primitive, zero: T) =>
  <const O extends FieldOptions<T | null> = FieldOptions<T | null>>(options?: O): Made<T, T, O> =>
    makeField(type, zero, options);

/** A topic id in text that stands for "none". */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';

export const bool = primitive('bool', false);
export const int8 = primitive('int8', 0);
export const int16 = primitive('int16', 0);
export const int32 = primitive('int32', 0);
export const int64 = primitive('int64', 0);
/** 64 bits, of which a value that cannot be true spoils nothing else of its answer: it is read as far as offsets are believed. */
export const logOffset = primitive('logOffset', 0);
export const uuid = primitive('uuid', ZERO_UUID);
export const string = primitive('string', '');
export const bytes = primitive<Buffer>('bytes', Buffer.alloc(0));

const EMPTY: readonly never[] = Object.freeze([]);

const arrayOfPrimitive =
  <T>(type: Primitive) =>
  <const O extends FieldOptions<null> = FieldOptions<null>>(options?: O): Made<readonly T[], readonly T[], O> =>
    makeField({ arrayOf: type }, EMPTY, options);

export const int32Array = arrayOfPrimitive<number>('int32');
export const stringArray = arrayOfPrimitive<string>('string');

/** An array of structs. */
export const array = <S extends Shape, const O extends FieldOptions<null> = FieldOptions<null>>(
  shape: S,
  options?: O,
): Made<readonly Decoded<S>[], readonly Input<S>[], O> => makeField({ arrayOf: { struct: shape } }, EMPTY, options);

const defaultsOf = (shape: Shape): Readonly<Record<string, unknown>> =>
  Object.freeze(Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, field.fallback])));

/** One struct inside another; where it is not sent, every field of it is at its default, unless the default is null. */
export const struct = <S extends Shape, const O extends FieldOptions<null> = FieldOptions<null>>(
  shape: S,
  options?: O,
): Made<Decoded<S>, Input<S>, O> => makeField({ struct: shape }, defaultsOf(shape), options);

/** One row of the message table. */
export interface Api<N extends string, Q extends Shape, A extends Shape> {
  readonly name: N;
  readonly key: number;
  /** The versions the codec knows, both included. */
  readonly minVersion: number;
  readonly maxVersion: number;
  /** First version with compact lengths and tagged sections. */
  readonly flexibleFrom: number;
  /** The lowest version a broker should claim in ApiVersions, where that is below `minVersion`. */
  readonly claimedMinVersion?: number;
  readonly request: Q;
  readonly response: A;
}

export const defineApi = <const N extends string, Q extends Shape, A extends Shape>(api: Api<N, Q, A>): Api<N, Q, A> =>
  api;
