import { expect, test } from 'vitest';
import { UsageError } from '../errors.ts';
import { assertDefects } from './wanted-defects.ts';

const described = (names: readonly string[], kind: string): string => {
  try {
    assertDefects(names, kind);
    return 'well';
  } catch (thrown) {
    return thrown instanceof UsageError ? thrown.describe() : 'broken';
  }
};

test('defects of the embedded cluster are known by name', () => {
  expect(described(['lose-wal-tail', 'no-fencing'], 'embedded')).toBe('well');
  expect(described(['lose-wal-tail', 'lose-wal-tial'], 'embedded')).toMatch(
    /^DEFECT_UNKNOWN — There is no defect "lose-wal-tial"\. Did you mean "lose-wal-tail"\? Known: ack-before-wal, /,
  );
});

test('nobody else’s cluster is started with a defect', () => {
  expect(described(['no-fencing'], 'external')).toMatch(/^DEFECT_UNSUPPORTED — .*"external".*Leave --defect out/);
  expect(described([], 'external')).toBe('well');
});
