// The checksums S3 knows by name, each as a running sum that takes bytes and ends in its base64 text.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '../../checksum.ts';
import { Crc64Nvme } from './crc64-nvme.ts';

export interface RunningSum {
  add(bytes: Buffer): void;
  /** Base64, as it stands in headers and documents; called once. */
  end(): string;
}

const ofCrc32 = (sum: (bytes: Buffer, initial: number) => number): RunningSum => {
  let value = 0;
  return {
    add: (bytes) => {
      value = sum(bytes, value);
    },
    end: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString('base64');
    },
  };
};

const ofHash = (algorithm: string): RunningSum => {
  const hash = createHash(algorithm);
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest('base64') };
};

/** Name of the algorithm as headers and documents have it → a fresh sum. */
const ALGORITHMS: Readonly<Record<string, () => RunningSum>> = {
  CRC32: () => ofCrc32((bytes, initial) => crc32(bytes, initial)),
  CRC32C: () => ofCrc32((bytes, initial) => crc32c(bytes, initial)),
  CRC64NVME: () => new Crc64Nvme(),
  SHA1: () => ofHash('sha1'),
  SHA256: () => ofHash('sha256'),
};

const headerName = (algorithm: string): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** `x-amz-checksum-crc32` …, one for each algorithm. */
export const CHECKSUM_HEADERS: readonly string[] = Object.keys(ALGORITHMS).map(headerName);

/** The header of an algorithm, whatever the case of its name; undefined for one that is not known. */
export const checksumHeader = (algorithm: string): string | undefined =>
  CHECKSUM_HEADERS.find((header) => header === headerName(algorithm));

/** `ChecksumCRC32`: the element of documents that holds what the header `x-amz-checksum-crc32` would. */
export const checksumElement = (header: string): string => `Checksum${algorithmOf(header)}`;

/** `CRC32` of `x-amz-checksum-crc32`. */
export const algorithmOf = (header: string): string => header.replace('x-amz-checksum-', '').toUpperCase();

/** A fresh sum for the header of a known algorithm. */
export const sumFor = (header: string): RunningSum => {
  const make = ALGORITHMS[algorithmOf(header)];
  if (make === undefined) throw new RangeError(`no checksum has the header ${header}`);
  return make();
};

export const checksumOf = (header: string, body: Buffer): string => {
  const sum = sumFor(header);
  sum.add(body);
  return sum.end();
};
