// Any other S3 server, held against the same suite: ACKPROOF_S3_ENDPOINT=http://host:port with ACKPROOF_S3_BUCKET,
// ACKPROOF_S3_ACCESS_KEY, ACKPROOF_S3_SECRET_KEY, and what it is known to lack in ACKPROOF_S3_LACKS, comma-separated.
import { describe } from 'vitest';
import type { Feature } from '../s3-conformance/endpoint.ts';
import { describeConformance } from '../s3-conformance/suite.ts';

const named = (name: string): string => process.env[`ACKPROOF_S3_${name}`] ?? '';
const url = named('ENDPOINT');

if (url === '') {
  process.stderr.write('LEFT OUT: the S3 conformance of another server, because ACKPROOF_S3_ENDPOINT names none.\n');
}
const lacks = named('LACKS')
  .split(',')
  .filter((name) => name !== '') as Feature[];
const endpoint = {
  url,
  region: named('REGION') || 'us-east-1',
  bucket: named('BUCKET'),
  accessKeyId: named('ACCESS_KEY'),
  secretAccessKey: named('SECRET_KEY'),
};
describe.skipIf(url === '')('by its address', () => {
  describeConformance(url === '' ? 'another server' : url, () => endpoint, lacks);
});
