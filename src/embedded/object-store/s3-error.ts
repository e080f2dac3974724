// The errors an S3 client can see, with the status and code S3 gives them. Nothing else than these reaches the network.
import { AckproofError } from '../../errors.ts';

const STATUS_OF = {
  AccessDenied: 403,
  BadDigest: 400,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3Code = keyof typeof STATUS_OF;

/** An answer other than success; `code` is S3's own word for it. */
export class S3Error extends AckproofError {
  readonly status: number;
  readonly s3Code: S3Code;
  /** Headers the answer carries besides the document. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(s3Code: S3Code, message: string, headers: Readonly<Record<string, string>> = {}) {
    super('S3_REQUEST_REFUSED', 'input', message);
    this.s3Code = s3Code;
    this.status = STATUS_OF[s3Code];
    this.headers = headers;
  }
}
