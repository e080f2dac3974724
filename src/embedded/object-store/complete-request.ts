// The body of CompleteMultipartUpload: the parts that make up the object, as the uploader wants them. Read with patterns, not a
// parser: the document is a flat list, and whatever does not look like one is refused.
import { CHECKSUM_HEADERS, checksumElement } from './checksums.ts';
import { MOST_PARTS } from './part-number.ts';
import { S3Error } from './s3-error.ts';
import { flatElements, innerTexts } from './xml.ts';

/** A part as it is named to be used. */
export interface NamedPart {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
  /** Checksum header → value, where the uploader says them. */
  readonly checksums: Readonly<Record<string, string>>;
}

const malformed = (why: string): S3Error => new S3Error('MalformedXML', `The list of parts ${why}.`);

const partOf = (inner: string): NamedPart => {
  const { texts, rest } = flatElements(inner);
  const { PartNumber: number, ETag: etag } = texts;
  if (rest !== '' || number === undefined || etag === undefined || !/^\d{1,5}$/.test(number)) {
    throw malformed('has an entry without a number and an ETag');
  }
  const checksums = CHECKSUM_HEADERS.flatMap((header) => {
    const value = texts[checksumElement(header)];
    return value === undefined || value === '' ? [] : [[header, value] as const];
  });
  return { number: Number(number), etag: etag.replace(/^"(.*)"$/, '$1'), checksums: Object.fromEntries(checksums) };
};

/** Throws MalformedXML, and InvalidPartOrder where numbers do not rise. */
export const parseCompleteRequest = (body: Buffer): readonly NamedPart[] => {
  const document = body.toString('utf8');
  const parts = innerTexts(document, 'Part').map(partOf);
  if (!/<CompleteMultipartUpload[\s>]/.test(document) || parts.length === 0) throw malformed('is empty or no list');
  if (parts.length > MOST_PARTS) throw malformed(`has more than ${MOST_PARTS} entries`);
  if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) {
    throw new S3Error('InvalidPartOrder', 'The parts are not listed in the order of their numbers.');
  }
  return parts;
};
