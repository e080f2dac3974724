import { expect, test } from 'vitest';
import { EnvironmentError, InputError, ManyProblems } from '../src/errors.ts';
import { captureStderr } from '../test/support/captured-stderr.ts';
import { failWith, reasonOf, usageFailure } from './failure.ts';

const written = captureStderr();
const said = (): string => written().join('');

const systemError = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code, syscall: 'scandir' });

test.each(['EACCES', 'ENOSPC', 'EMFILE', 'EROFS'])(
  'what the system refuses with %s is no fault of ackproof',
  (code) => {
    expect(failWith(systemError(code))).toBe(69);
    expect(said()).toMatch(new RegExp(`^REFUSED_BY_SYSTEM — .*${code}`));
  },
);

test('a directory that is gone is no fault of ackproof', () => {
  expect(failWith(Object.assign(new Error('ENOENT: uv_cwd'), { code: 'ENOENT', syscall: 'uv_cwd' }))).toBe(69);
});

test.each([systemError('ENOENT'), new TypeError('x is not a function'), 'a text'])(
  'everything else that has no kind is: %s',
  (thrown) => {
    expect(failWith(thrown)).toBe(70);
    expect(said()).toMatch(/^INTERNAL_ERROR — .*\n(.*\n)*This is a fault of ackproof/);
  },
);

test('an error is told with its causes and what else went wrong, in that order, and acts on no terminal', () => {
  const error = new EnvironmentError('NOT_ENDED', 'It did not end\u001b[31m.', {
    cause: new Error('why'),
    hint: 'Wait.',
  });
  error.attached.push(new Error('and this'));
  expect(failWith(error)).toBe(69);
  expect(said()).toBe('NOT_ENDED — It did not end\\u001b[31m. Wait.\n  because: why\n  also: and this\n');
});

test('several problems are one line each', () => {
  const problems = [new InputError('A', 'One.'), new InputError('B', 'Two.')];
  expect(failWith(new ManyProblems(problems))).toBe(65);
  expect(said()).toBe('A — One.\nB — Two.\n');
});

test('a wrong command line names the help of its command', () => {
  expect(failWith(usageFailure('No.', 'run'))).toBe(64);
  expect(failWith(usageFailure('No.', '--x'))).toBe(64);
  expect(written()).toEqual(['No.\nTry: ackproof run --help\n', 'No.\nTry: ackproof --help\n']);
});

test('a reason is one line', () => {
  expect([reasonOf(new InputError('A', 'One.')), reasonOf(new Error('two')), reasonOf('three')]).toEqual([
    'A — One.',
    'two',
    'three',
  ]);
});
