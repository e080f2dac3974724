import { expect, test } from 'vitest';
import { EnvironmentError } from '../errors.ts';
import { tellError, toldError } from './load-thread.ts';

/** As it arrives in another thread. */
const afterTheWay = (thrown: unknown): Error => toldError(structuredClone(tellError(thrown)));

test('an error of ours keeps its code, kind, hint and cause on the way', () => {
  const cause = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const thrown = new EnvironmentError('LEDGER_UNWRITABLE', 'Cannot write.', { hint: 'Make room.', cause });
  const told = afterTheWay(thrown);
  expect(told).toMatchObject({
    code: 'LEDGER_UNWRITABLE',
    kind: 'environment',
    message: 'Cannot write.',
    hint: 'Make room.',
  });
  expect(told.cause).toMatchObject({ code: 'ENOSPC', message: 'no space left' });
});

test('any other error keeps its message and its code; what is no error becomes one', () => {
  expect(afterTheWay(Object.assign(new TypeError('odd'), { code: 'EIO' }))).toMatchObject({
    message: 'odd',
    code: 'EIO',
  });
  expect(afterTheWay('gone')).toMatchObject({ message: 'gone' });
});
