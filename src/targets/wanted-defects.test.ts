import { expect, test } from 'vitest';
import { UsageError } from '../errors.ts';
import { targetSpecSchema } from './target-spec.ts';
import { assertDefects } from './wanted-defects.ts';

const EMBEDDED = { kind: 'embedded' };
const EXTERNAL = { kind: 'external', bootstrapServers: ['127.0.0.1:9092'] };

const described = (names: readonly string[], target: Readonly<Record<string, unknown>>): string => {
  try {
    assertDefects(names, targetSpecSchema.parse({ apiVersion: 'ackproof/v1', ...target }));
    return 'well';
  } catch (thrown) {
    return thrown instanceof UsageError ? thrown.describe() : 'broken';
  }
};

test('defects of the embedded cluster are known by name', () => {
  expect(described(['lose-wal-tail', 'no-fencing'], EMBEDDED)).toBe('well');
  expect(described(['lose-wal-tail', 'lose-wal-tial'], EMBEDDED)).toMatch(
    /^DEFECT_UNKNOWN — There is no defect "lose-wal-tial"\. Did you mean "lose-wal-tail"\? Known: ack-before-wal, /,
  );
});

test('nobody else’s cluster is started with a defect', () => {
  expect(described(['no-fencing'], EXTERNAL)).toMatch(/^DEFECT_UNSUPPORTED — .*"external".*Leave --defect out/);
  expect(described([], EXTERNAL)).toBe('well');
});

test('a defect that the write-ahead log of the target cannot have is refused in one sentence', () => {
  expect(described(['no-fencing'], { ...EMBEDDED, name: 'embedded-block', wal: 'block' })).toBe(
    'DEFECT_OF_OTHER_WAL — The defect "no-fencing" is one of wal: s3, and embedded-block (embedded) has wal: block. Choose another defect, or a target file with that write-ahead log.',
  );
  expect(described(['fsync-skipped', 'attach-without-fencing'], { ...EMBEDDED, wal: 'block' })).toBe('well');
  expect(described(['fsync-skipped', 'stale-nfs-handle'], { ...EMBEDDED, wal: 'nfs' })).toBe('well');
  expect(described(['fsync-skipped'], EMBEDDED)).toMatch(/^DEFECT_OF_OTHER_WAL/);
});
