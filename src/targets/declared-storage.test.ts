import { describe, expect, it } from 'vitest';
import { declaredStorage } from './declared-storage.ts';

const key = { env: 'KEY' };
const store = {
  endpoint: 'https://s3.example.com',
  region: 'r',
  bucket: 'b',
  prefix: '',
  accessKey: key,
  secretKey: key,
};

describe('what a target file declares of storage', () => {
  it('is named item by item, and what it leaves out is not collected', () => {
    const facts = declaredStorage({ wal: 'a block volume of each broker', sharedFate: 'one region' }, store);
    expect(facts?.map(({ item, state }) => [item, state])).toEqual([
      ['wal', 'observed'],
      ['service', 'observed'],
      ['identity', 'not collected'],
      ['encryption', 'not collected'],
      ['route', 'not collected'],
      ['shared-fate', 'observed'],
    ]);
    expect(facts?.[1]?.detail).toContain('https://s3.example.com');
  });

  it('is nothing where it names no storage', () => {
    expect(declaredStorage(undefined, undefined)).toBeUndefined();
  });
});
