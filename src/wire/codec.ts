// Turns a shape into code for one version: a list of field writers and readers with everything that depends on the version
// already decided. Schemas have a fixed depth, so neither compiling nor running can recurse further than a table row does.
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import type { AnyField, ElementType, FieldType, Primitive, Shape } from './schema.ts';
import { WireError } from './wire-error.ts';

/** Reads and writes one value; `minBytes` is the least that it occupies on the wire. */
export interface ValueCodec {
  readonly minBytes: number;
  write(writer: ByteWriter, value: unknown): void;
  read(reader: ByteReader): unknown;
}

interface NamedCodec {
  readonly name: string;
  readonly field: AnyField;
  readonly codec: ValueCodec;
}

type Struct = Readonly<Record<string, unknown>>;

const codecOf = <T>(
  minBytes: number,
  write: (writer: ByteWriter, value: T) => void,
  read: (reader: ByteReader) => T,
): ValueCodec => ({ minBytes, write: write, read });

const FIXED: Readonly<Partial<Record<Primitive, ValueCodec>>> = {
  bool: codecOf<boolean>(
    1,
    (writer, value) => writer.bool(value),
    (reader) => reader.bool(),
  ),
  int8: codecOf<number>(
    1,
    (writer, value) => writer.int8(value),
    (reader) => reader.int8(),
  ),
  int16: codecOf<number>(
    2,
    (writer, value) => writer.int16(value),
    (reader) => reader.int16(),
  ),
  int32: codecOf<number>(
    4,
    (writer, value) => writer.int32(value),
    (reader) => reader.int32(),
  ),
  int64: codecOf<number>(
    8,
    (writer, value) => writer.int64(value),
    (reader) => reader.int64(),
  ),
  logOffset: codecOf<number>(
    8,
    (writer, value) => writer.int64(value),
    (reader) => reader.logOffset(),
  ),
  uuid: codecOf<string>(
    16,
    (writer, value) => writer.uuid(value),
    (reader) => reader.uuid(),
  ),
};

const refuseNull = (): never => {
  throw new WireError('WIRE_NULL_NOT_ALLOWED', 'A field that may not be null in this version is null.');
};

const stringCodec = (compact: boolean, nullable: boolean): ValueCodec =>
  codecOf<string | null>(
    compact ? 1 : 2,
    (writer, value) => {
      if (value !== null) writer.text(value, compact);
      else if (!nullable) refuseNull();
      else if (compact) writer.unsignedVarint(0);
      else writer.int16(-1);
    },
    (reader) => {
      const value = reader.text(compact ? reader.unsignedVarint() - 1 : reader.int16());
      return value === null && !nullable ? refuseNull() : value;
    },
  );

/** Lengths of byte fields and counts of arrays are written alike: a varint one too high, or four bytes. */
const writeCount = (writer: ByteWriter, count: number, compact: boolean): void => {
  if (compact) writer.unsignedVarint(count + 1);
  else writer.int32(count);
};
const readCount = (reader: ByteReader, compact: boolean): number =>
  compact ? reader.unsignedVarint() - 1 : reader.int32();

const bytesCodec = (compact: boolean, nullable: boolean): ValueCodec =>
  codecOf<Buffer | null>(
    compact ? 1 : 4,
    (writer, value) => {
      if (value === null && !nullable) refuseNull();
      writeCount(writer, value === null ? -1 : value.length, compact);
      if (value !== null) writer.raw(value);
    },
    (reader) => {
      const value = reader.view(readCount(reader, compact));
      return value === null && !nullable ? refuseNull() : value;
    },
  );

const arrayCodec = (element: ValueCodec, compact: boolean, nullable: boolean): ValueCodec =>
  codecOf<readonly unknown[] | null>(
    compact ? 1 : 4,
    (writer, value) => {
      if (value === null && !nullable) refuseNull();
      writeCount(writer, value === null ? -1 : value.length, compact);
      for (const item of value ?? []) element.write(writer, item);
    },
    (reader) => {
      const count = readCount(reader, compact);
      if (count < 0) return nullable ? null : refuseNull();
      reader.checkCount(count, element.minBytes);
      const items: unknown[] = [];
      for (let index = 0; index < count; index++) items.push(element.read(reader));
      return items;
    },
  );

/** Whether a value is what the other side assumes when the tag is not sent. */
const isDefault = (field: AnyField, value: unknown): boolean => {
  if (value === undefined || value === field.fallback) return true;
  if (Array.isArray(value)) return value.length === 0 && Array.isArray(field.fallback);
  if (typeof field.type === 'object' && 'struct' in field.type && value !== null) {
    return Object.entries(field.type.struct).every(([name, inner]) => isDefault(inner, (value as Struct)[name]));
  }
  return false;
};

const valueOf = (value: Struct, { name, field }: NamedCodec): unknown => {
  const own = value[name];
  return own === undefined ? field.fallback : own;
};

const writeTags = (writer: ByteWriter, value: Struct, tagged: readonly NamedCodec[]): void => {
  const sent = tagged.filter(({ name, field }) => !isDefault(field, value[name]));
  writer.unsignedVarint(sent.length);
  for (const entry of sent) {
    const content = new ByteWriter(32);
    entry.codec.write(content, value[entry.name]);
    writer.unsignedVarint(entry.field.tag ?? 0);
    writer.unsignedVarint(content.length);
    writer.raw(content.finish());
  }
};

/** Reads a tagged section into `target`; tags that are not known are stepped over. */
const readTags = (reader: ByteReader, target: Record<string, unknown>, tagged: readonly NamedCodec[]): void => {
  const count = reader.unsignedVarint();
  reader.checkCount(count, 2);
  for (let index = 0; index < count; index++) {
    const tag = reader.unsignedVarint();
    const content = reader.view(reader.unsignedVarint()) as Buffer;
    const known = tagged.find(({ field }) => field.tag === tag);
    if (known === undefined) continue;
    const inner = new ByteReader(content);
    target[known.name] = known.codec.read(inner);
    refuseTrailing(inner, `tag ${tag}`);
  }
};

/** Refuses bytes that are left over after everything expected was read. */
export const refuseTrailing = (reader: ByteReader, what: string): void => {
  if (reader.remaining === 0) return;
  throw new WireError('WIRE_TRAILING_BYTES', `${reader.remaining} bytes are left over after the ${what}.`);
};

/** Steps over a tagged section of which nothing is known, as in headers. */
export const skipTags = (reader: ByteReader): void => readTags(reader, {}, []);

const structCodec = (shape: Shape, version: number, flexible: boolean): ValueCodec => {
  const all: readonly NamedCodec[] = Object.entries(shape).map(([name, field]) => ({
    name,
    field,
    codec: fieldCodec(field, version, flexible),
  }));
  const exists = ({ field }: NamedCodec): boolean => field.since <= version && version <= field.until;
  const plain = all.filter((entry) => exists(entry) && entry.field.tag === undefined);
  const tagged = all
    .filter((entry) => exists(entry) && entry.field.tag !== undefined)
    .sort((one, other) => (one.field.tag ?? 0) - (other.field.tag ?? 0));
  const blank = Object.fromEntries(all.map(({ name, field }) => [name, field.fallback]));
  return codecOf<Struct>(
    plain.reduce((sum, { codec }) => sum + codec.minBytes, flexible ? 1 : 0),
    (writer, value) => {
      for (const entry of plain) entry.codec.write(writer, valueOf(value, entry));
      if (flexible) writeTags(writer, value, tagged);
    },
    (reader) => {
      const value: Record<string, unknown> = { ...blank };
      for (const { name, codec } of plain) value[name] = codec.read(reader);
      if (flexible) readTags(reader, value, tagged);
      return value;
    },
  );
};

/** A struct that may be null is led by a byte: negative for null, 1 where the struct follows. */
const nullableStructCodec = (inner: ValueCodec): ValueCodec =>
  codecOf<Struct | null>(
    1,
    (writer, value) => {
      writer.int8(value === null ? -1 : 1);
      if (value !== null) inner.write(writer, value);
    },
    (reader) => (reader.int8() < 0 ? null : (inner.read(reader) as Struct)),
  );

const elementCodec = (type: ElementType, version: number, flexible: boolean, nullable: boolean): ValueCodec => {
  if (typeof type === 'object') {
    const inner = structCodec(type.struct, version, flexible);
    return nullable ? nullableStructCodec(inner) : inner;
  }
  if (type === 'string') return stringCodec(flexible, nullable);
  if (type === 'bytes') return bytesCodec(flexible, nullable);
  return FIXED[type] as ValueCodec;
};

const isArray = (type: FieldType): type is { readonly arrayOf: ElementType } =>
  typeof type === 'object' && 'arrayOf' in type;

const fieldCodec = (field: AnyField, version: number, flexible: boolean): ValueCodec => {
  const nullable = version >= field.nullableSince;
  if (!isArray(field.type)) return elementCodec(field.type, version, flexible, nullable);
  return arrayCodec(elementCodec(field.type.arrayOf, version, flexible, false), flexible, nullable);
};

/** The codec of a whole body in one version. */
export const compileBody = (shape: Shape, version: number, flexible: boolean): ValueCodec =>
  structCodec(shape, version, flexible);
