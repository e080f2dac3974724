// Answers that the proxy gives itself: an S3 error document for a caller that is to believe the store said so.
import { STATUS_CODES } from 'node:http';
import { httpTime } from '../clock.ts';

export interface OwnAnswer {
  readonly status: number;
  /** S3's word for it. */
  readonly code: string;
  readonly message: string;
  /** Path that was asked for. */
  readonly resource: string;
  /** Names rule and match, so that whoever was answered can be told from whom. */
  readonly requestId: string;
  readonly retryAfterSeconds?: number | undefined;
  /** Whether HEAD is answered: with the head that GET would have had. */
  readonly isHead: boolean;
  readonly closes: boolean;
}

/** Text for an XML element: whatever is no plain character becomes a reference. */
const escapeXml = (text: string): string =>
  text.replace(/[^\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x7e]/gu, (character) => `&#${character.codePointAt(0) ?? 63};`);

const documentOf = ({ code, message, resource, requestId }: OwnAnswer): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error>',
    ...Object.entries({ Code: code, Message: message, Resource: resource, RequestId: requestId }).map(
      ([name, text]) => `<${name}>${escapeXml(text)}</${name}>`,
    ),
    '</Error>',
  ].join('');

/** The whole answer as it goes over the wire. */
export const ownAnswerBytes = (answer: OwnAnswer, wallMs: number): Buffer => {
  const document = documentOf(answer);
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    `Date: ${httpTime(wallMs)}`,
    'Server: ackproof-s3-proxy',
    `x-amz-request-id: ${answer.requestId}`,
    'Content-Type: application/xml',
    `Content-Length: ${Buffer.byteLength(document)}`,
    ...(answer.retryAfterSeconds === undefined ? [] : [`Retry-After: ${answer.retryAfterSeconds}`]),
    ...(answer.closes ? ['Connection: close'] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${answer.isHead ? '' : document}`, 'latin1');
};
