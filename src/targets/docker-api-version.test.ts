import { expect, test } from 'vitest';
import { chooseApi, isAtLeast } from './docker-api-version.ts';

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
