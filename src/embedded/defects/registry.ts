// Every defect the embedded brokers can be started with, by name.
import { ackBeforeWal } from './ack-before-wal.ts';
import { ackOffsetLow } from './ack-offset-low.ts';
import { attachWithoutFencing } from './attach-without-fencing.ts';
import { coldReadWrongRange } from './cold-read-wrong-range.ts';
import { corruptUpload } from './corrupt-upload.ts';
import type { Defect } from './defect.ts';
import { forgetProducerState } from './forget-producer-state.ts';
import { fsyncSkipped } from './fsync-skipped.ts';
import { indexBeforeObject } from './index-before-object.ts';
import { loseWalTail } from './lose-wal-tail.ts';
import { noFencing } from './no-fencing.ts';
import { reorderBatches } from './reorder-batches.ts';
import { reuseOffset } from './reuse-offset.ts';
import { skipMissingObject } from './skip-missing-object.ts';
import { staleHighWatermark } from './stale-high-watermark.ts';
import { staleNfsHandle } from './stale-nfs-handle.ts';
import { storeRetryTwice } from './store-retry-twice.ts';
import { tornTailAccepted } from './torn-tail-accepted.ts';
import { trimBeforeCommit } from './trim-before-commit.ts';

export const defects: readonly Defect[] = [
  ackBeforeWal,
  ackOffsetLow,
  attachWithoutFencing,
  coldReadWrongRange,
  corruptUpload,
  forgetProducerState,
  fsyncSkipped,
  indexBeforeObject,
  loseWalTail,
  noFencing,
  reorderBatches,
  reuseOffset,
  skipMissingObject,
  staleHighWatermark,
  staleNfsHandle,
  storeRetryTwice,
  tornTailAccepted,
  trimBeforeCommit,
];
