// Which scenario must find which defect, every time: those whose fault or replay does what the defect needs to bite, with
// certainty and not only often. Other scenarios may find it too; what they find is in the table, and nobody relies on it.
import type { DefectName } from '../../src/vocabulary.ts';

export const DECLARED_CELLS: Readonly<Record<DefectName, readonly [string, ...string[]]>> = {
  'ack-before-wal': ['all-brokers-kill'],
  'ack-offset-low': ['baseline'],
  'attach-without-fencing': ['storage/block-zombie-leader'],
  'cold-read-wrong-range': ['cold-replay'],
  'corrupt-upload': ['cold-replay'],
  'forget-producer-state': ['retry-across-failover'],
  'fsync-skipped': ['storage/block-power-cut', 'storage/nfs-power-cut'],
  'index-before-object': ['all-brokers-kill'],
  'lose-wal-tail': ['all-brokers-kill'],
  'no-fencing': ['zombie-leader'],
  'reorder-batches': ['cold-replay'],
  'reuse-offset': ['all-brokers-kill'],
  'skip-missing-object': ['replay-during-outage'],
  'stale-high-watermark': ['leader-kill'],
  'stale-nfs-handle': ['storage/nfs-zombie-leader'],
  'store-retry-twice': ['retry-across-failover'],
  'torn-tail-accepted': ['storage/block-torn-tail', 'storage/nfs-torn-tail'],
  'trim-before-commit': ['all-brokers-kill'],
};
