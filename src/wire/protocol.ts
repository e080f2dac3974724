// Frames: a length, a header, a body. This is the door to the message table for both sides, clients and embedded broker.
import { describeError } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { compileBody, refuseTrailing, skipTags, type ValueCodec } from './codec.ts';
import {
  type ApiName,
  messageTable,
  type RequestBody,
  type RequestInput,
  type ResponseBody,
  type ResponseInput,
} from './message-table.ts';
import type { Shape } from './schema.ts';
import { type RequestPrologue, WireError } from './wire-error.ts';

export { nearestLogOffset } from './byte-reader.ts';
export { DEFAULT_MAX_FRAME_BYTES, FrameSplitter } from './frame-splitter.ts';
export type { ApiName, RequestBody, RequestInput, ResponseBody, ResponseInput } from './message-table.ts';
export { ZERO_UUID } from './schema.ts';
export { type RequestPrologue, WireError, type WireErrorCode } from './wire-error.ts';

/** What the codec knows about one request, without the shapes. */
export interface ApiRange {
  readonly name: ApiName;
  readonly key: number;
  readonly minVersion: number;
  readonly maxVersion: number;
  /** The lowest version to claim in ApiVersions; differs from `minVersion` only where a client insists. */
  readonly claimedMinVersion: number;
  readonly flexibleFrom: number;
}

export const apiTable: readonly ApiRange[] = messageTable.map((api) => ({
  name: api.name,
  key: api.key,
  minVersion: api.minVersion,
  maxVersion: api.maxVersion,
  claimedMinVersion: api.claimedMinVersion ?? api.minVersion,
  flexibleFrom: api.flexibleFrom,
}));

export interface RequestHeader {
  readonly correlationId: number;
  readonly clientId: string | null;
}

/** A request of any kind; `api` tells which body it has. Byte fields are views of the frame. */
export type DecodedRequest = {
  readonly [N in ApiName]: RequestHeader & {
    readonly api: N;
    readonly version: number;
    readonly body: RequestBody<N>;
  };
}[ApiName];

interface Row {
  readonly api: ApiRange & { readonly request: Shape; readonly response: Shape };
  readonly requests: (ValueCodec | undefined)[];
  readonly responses: (ValueCodec | undefined)[];
}

const rows: readonly Row[] = messageTable.map((api, index) => ({
  api: { ...(apiTable[index] as ApiRange), request: api.request, response: api.response },
  requests: [],
  responses: [],
}));
const byName: ReadonlyMap<string, Row> = new Map(rows.map((row) => [row.api.name, row]));
const byKey: ReadonlyMap<number, Row> = new Map(rows.map((row) => [row.api.key, row]));

const knows = (row: Row, version: number): boolean =>
  Number.isInteger(version) && row.api.minVersion <= version && version <= row.api.maxVersion;

const versionError = (row: Row, version: number, request?: RequestPrologue): WireError =>
  new WireError(
    'WIRE_UNSUPPORTED_VERSION',
    `${row.api.name} version ${version} is not known; ${row.api.minVersion} to ${row.api.maxVersion} are.`,
    request === undefined ? {} : { request },
  );

const rowFor = (name: ApiName, version: number): Row => {
  const row = byName.get(name) as Row;
  if (!knows(row, version)) throw versionError(row, version);
  return row;
};

const isFlexible = (row: Row, version: number): boolean => version >= row.api.flexibleFrom;

const requestCodec = (row: Row, version: number): ValueCodec =>
  (row.requests[version] ??= compileBody(row.api.request, version, isFlexible(row, version)));

const responseCodec = (row: Row, version: number): ValueCodec =>
  (row.responses[version] ??= compileBody(row.api.response, version, isFlexible(row, version)));

/** Answers of ApiVersions never have a tagged section in their header. */
const hasHeaderTags = (row: Row, version: number): boolean =>
  isFlexible(row, version) && row.api.name !== 'ApiVersions';

/** Runs `write` on a frame that begins with room for its own length, and fills the length in. */
const frame = (what: string, write: (writer: ByteWriter) => void): Buffer => {
  const writer = new ByteWriter();
  try {
    writer.int32(0);
    write(writer);
  } catch (error) {
    const code = error instanceof WireError ? error.code : 'WIRE_VALUE_UNENCODABLE';
    throw new WireError(code, `A value does not fit its field in ${what}: ${describeError(error)}`, {
      cause: error,
      sent: false,
    });
  }
  writer.patchInt32(0, writer.length - 4);
  return writer.finish();
};

/** A whole request frame, its length first. */
export const encodeRequestFrame = <N extends ApiName>(
  api: N,
  version: number,
  header: RequestHeader,
  body: RequestInput<N>,
): Buffer => {
  const row = rowFor(api, version);
  return frame(`${api} request version ${version}`, (writer) => {
    writer.int16(row.api.key);
    writer.int16(version);
    writer.int32(header.correlationId);
    if (header.clientId === null) writer.int16(-1);
    else writer.text(header.clientId, false);
    if (isFlexible(row, version)) writer.unsignedVarint(0);
    requestCodec(row, version).write(writer, body);
  });
};

/** A whole response frame, its length first. */
export const encodeResponseFrame = <N extends ApiName>(
  api: N,
  version: number,
  correlationId: number,
  body: ResponseInput<N>,
): Buffer => {
  const row = rowFor(api, version);
  return frame(`${api} response version ${version}`, (writer) => {
    writer.int32(correlationId);
    if (hasHeaderTags(row, version)) writer.unsignedVarint(0);
    responseCodec(row, version).write(writer, body);
  });
};

const rowOfRequest = (request: RequestPrologue): Row => {
  const row = byKey.get(request.apiKey);
  if (row === undefined) {
    throw new WireError('WIRE_UNKNOWN_API', `No request has the key ${request.apiKey}.`, { request });
  }
  if (!knows(row, request.version)) throw versionError(row, request.version, request);
  return row;
};

/**
 * Decodes a request frame without its length. Errors are `WireError`; once the first eight bytes were legible the error's
 * `request` has them, so that a broker can answer UNSUPPORTED_VERSION.
 */
export const decodeRequestFrame = (bytes: Buffer): DecodedRequest => {
  const reader = new ByteReader(bytes);
  const request = { apiKey: reader.int16(), version: reader.int16(), correlationId: reader.int32() };
  const row = rowOfRequest(request);
  try {
    const clientId = reader.text(reader.int16());
    if (isFlexible(row, request.version)) skipTags(reader);
    const body = requestCodec(row, request.version).read(reader);
    refuseTrailing(reader, `${row.api.name} request`);
    const { version, correlationId } = request;
    return { api: row.api.name, version, correlationId, clientId, body } as DecodedRequest;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new WireError(error.code, `${row.api.name} request version ${request.version}: ${error.message}`, {
      cause: error,
      request,
    });
  }
};

/** The correlation id of a response frame without its length. */
export const correlationIdOf = (bytes: Buffer): number => new ByteReader(bytes).int32();

/** Decodes a response frame without its length; the caller says what the question was. */
export const decodeResponseFrame = <N extends ApiName>(
  api: N,
  version: number,
  bytes: Buffer,
): { readonly correlationId: number; readonly body: ResponseBody<N> } => {
  const row = rowFor(api, version);
  try {
    const reader = new ByteReader(bytes);
    const correlationId = reader.int32();
    if (hasHeaderTags(row, version)) skipTags(reader);
    const body = responseCodec(row, version).read(reader);
    refuseTrailing(reader, `${api} response`);
    return { correlationId, body: body as ResponseBody<N> };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new WireError(error.code, `${api} response version ${version}: ${error.message}`, { cause: error });
  }
};
