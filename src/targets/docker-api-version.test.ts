import { expect, test } from 'vitest';
import { chooseApi, isAtLeast, readVersion } from './docker-api-version.ts';

test('the API version stays within the range of both sides', () => {
  expect(chooseApi('1.41', '1.12')).toBe('1.41');
  expect(chooseApi('1.99', '1.44')).toBe('1.51');
  expect(() => chooseApi('1.30', '1.12')).toThrow(/speaks API 1.12 to 1.30, and this ackproof/u);
  expect(() => chooseApi('1.99', '1.60')).toThrow(/speaks API 1.60 to 1.99/u);
});

test('versions are compared by their numbers, the first one before the second', () => {
  expect(isAtLeast('1.41', '1.41')).toBe(true);
  expect(isAtLeast('1.100', '1.44')).toBe(true);
  expect(isAtLeast('2.0', '1.44')).toBe(true);
  expect(isAtLeast('1.9', '1.41')).toBe(false);
});

test('an engine that tells no more than its version is taken', () => {
  expect(readVersion('tcp://x', { ApiVersion: '1.41' })).toEqual({
    ApiVersion: '1.41',
    MinAPIVersion: '1.12',
    Version: 'unknown',
    Os: 'unknown',
    Arch: 'unknown',
  });
});

test.each([
  {},
  null,
  '<html>',
  [],
  { ApiVersion: 1.41 },
  { ApiVersion: 'banana' },
  { ApiVersion: '1.41', MinAPIVersion: '' },
])('what answers %o is no engine', (answer) => {
  expect(() => readVersion('tcp://x', answer)).toThrow(/^What listens at tcp:\/\/x tells no version/u);
});
