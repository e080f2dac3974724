import { describe, expect, it } from 'vitest';
import { offersOf, pathsOf } from './registry.ts';
import { type ProcessSpec, processSpecSchema } from './target-spec.ts';
import { describeTiers } from './tiered-spec.ts';

const STORE = {
  endpoint: 'http://127.0.0.1:7070',
  bucket: 'tiered',
  accessKey: { env: 'KEY' },
  secretKey: { env: 'SECRET' },
};

const parse = (tieredStorage?: unknown) =>
  processSpecSchema.safeParse({
    apiVersion: 'ackproof/v1',
    kind: 'process',
    ...(tieredStorage === undefined ? {} : { tieredStorage }),
  });

const specOf = (tieredStorage?: unknown): ProcessSpec => parse(tieredStorage).data as ProcessSpec;

const problemOf = (tieredStorage: unknown): string =>
  (parse(tieredStorage).error?.issues ?? []).map(({ message }) => message).join(' | ');

describe('tiered storage in a target file', () => {
  it('is Kafka’s own directory, a bucket of somebody’s, or one of ackproof’s own', () => {
    expect(problemOf({ manager: 'local' })).toBe('');
    expect(problemOf({ manager: 's3' })).toBe('');
    expect(problemOf({ manager: 's3', store: STORE })).toBe('');
    expect(parse({ manager: 'gcs' }).success).toBe(false);
    expect(parse({ manager: 'local', store: STORE }).success).toBe(false);
  });

  it('is reached through proxies, and holds no secret', () => {
    expect(problemOf({ manager: 's3', store: { ...STORE, endpoint: 'https://s3.example.com' } })).toMatch(
      /through proxies/,
    );
    expect(problemOf({ manager: 's3', store: { ...STORE, secretKey: 'hidden' } })).toMatch(/never written here/);
  });

  it('decides what the target can do: a read is proved only where the store tells of it', () => {
    expect(offersOf(specOf())).not.toContain('objectStore');
    expect(offersOf(specOf({ manager: 'local' }))).toEqual(offersOf(specOf()));
    expect(offersOf(specOf({ manager: 's3' }))).toEqual(expect.arrayContaining(['cooling', 'objectStore']));
    expect(offersOf(specOf({ manager: 's3', store: STORE }))).toContain('objectStore');
    expect(offersOf(specOf({ manager: 's3', store: STORE }))).not.toContain('cooling');
    expect(pathsOf(specOf({ manager: 's3' }))).toContain('s3-data');
    expect(pathsOf(specOf({ manager: 'local' }))).not.toContain('s3-data');
  });

  it('is told in a word', () => {
    const told = [{ manager: 'local' }, { manager: 's3' }, { manager: 's3', store: { ...STORE, prefix: 'a/' } }];
    expect(told.map((each) => describeTiers(specOf(each).tieredStorage!))).toEqual([
      'local',
      's3, ackproof’s own server',
      's3 at http://127.0.0.1:7070, bucket tiered below a/',
    ]);
  });
});
