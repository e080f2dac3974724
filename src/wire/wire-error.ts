// The errors of the wire folder: bytes that are not the protocol, answers that do not fit their question, peers that went
// away. When a request could be read as far as its header, the error carries that header, so that a broker can still answer.
import { AckproofError, type ErrorDetails } from '../errors.ts';

/** What every Kafka request begins with. */
export interface RequestPrologue {
  readonly apiKey: number;
  readonly version: number;
  readonly correlationId: number;
}

/** Every way in which the wire can disappoint; stable, tests and callers compare them. */
export type WireErrorCode =
  | 'WIRE_BATCH_INCOMPLETE'
  | 'WIRE_BATCH_INVALID'
  | 'WIRE_BATCH_MAGIC'
  | 'WIRE_CANCELLED'
  | 'WIRE_CLOSED'
  | 'WIRE_CODEC_MISSING'
  | 'WIRE_COMPRESSED_INVALID'
  | 'WIRE_COMPRESSED_TOO_LARGE'
  | 'WIRE_CONNECT_FAILED'
  | 'WIRE_CORRELATION_MISMATCH'
  | 'WIRE_COUNT_TOO_LARGE'
  | 'WIRE_CRC_MISMATCH'
  | 'WIRE_DEADLINE'
  | 'WIRE_FRAME_LENGTH'
  | 'WIRE_INT64_UNSAFE'
  | 'WIRE_LOGIN_REFUSED'
  | 'WIRE_NULL_NOT_ALLOWED'
  | 'WIRE_REFUSED'
  | 'WIRE_RETIRED'
  | 'WIRE_SASL_MECHANISM'
  | 'WIRE_SERVER_UNPROVEN'
  | 'WIRE_TLS_FAILED'
  | 'WIRE_TRAILING_BYTES'
  | 'WIRE_TRUNCATED'
  | 'WIRE_UNKNOWN_API'
  | 'WIRE_UNREACHABLE'
  | 'WIRE_UNSUPPORTED_VERSION'
  | 'WIRE_VALUE_UNENCODABLE'
  | 'WIRE_VARINT_TOO_LONG';

export interface WireErrorDetails extends ErrorDetails {
  readonly request?: RequestPrologue;
  /** Whether bytes of the request in question may have left the process. */
  readonly sent?: boolean;
  /** The error code of Kafka's protocol that a broker answered. */
  readonly kafkaCode?: number;
}

export class WireError extends AckproofError {
  declare readonly code: WireErrorCode;
  /** The header of the request that could not be used, as far as it was legible. */
  readonly request: RequestPrologue | undefined;
  /** False only where it is certain that nothing of the request in question left the process. */
  readonly sent: boolean;
  /** What a broker answered, where it answered. */
  readonly kafkaCode: number | undefined;

  constructor(code: WireErrorCode, message: string, details: WireErrorDetails = {}) {
    super(code, 'environment', message, details);
    this.request = details.request;
    this.sent = details.sent ?? true;
    this.kafkaCode = details.kafkaCode;
  }
}
