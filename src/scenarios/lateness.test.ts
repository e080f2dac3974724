import { expect, test } from 'vitest';
import { Lateness } from './lateness.ts';

test('a fault is late only more than 250 ms after its plan', () => {
  const lateness = new Lateness();
  expect(lateness.at(9000)).toBeUndefined();
  lateness.plan(1000);
  expect(lateness.at(1250)).toBeUndefined();
  expect(lateness.at(1251)).toMatchObject({ lateMs: 251 });
});

test('each wait that counts is a reason, and what no wait explains is the preparation', () => {
  const lateness = new Lateness();
  lateness.plan(1000);
  lateness.waited('the cluster was slow', 200, 1000);
  lateness.waited('one was not over', 900, 1700);
  lateness.waited('it waited for a fresh acknowledgement', 1700, 1703);
  expect(lateness.at(1720)?.lateBecause).toBe('one was not over');
  expect(lateness.at(2720)?.lateBecause).toBe('one was not over; it took that long to prepare');
});
