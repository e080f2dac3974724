// A write-ahead log of each kind.
import type { WalKind } from '../../vocabulary.ts';
import type { ConditionalStore } from '../log/interfaces.ts';
import type { WriteAheadLog } from '../log/write-ahead-log.ts';
import type { VolumeTransport } from '../volume/protocol.ts';
import { BlockWal } from './block-wal.ts';
import { NfsWal } from './nfs-wal.ts';
import { S3Wal } from './s3-wal.ts';

export interface WalParts {
  readonly brokerId: number;
  /** The epoch objects. */
  readonly meta: ConditionalStore;
  /** Where slots go that are objects. */
  readonly objects: () => ConditionalStore;
  /** The volume process, where slots are not. */
  readonly volume: () => VolumeTransport;
  /** Names that are new each time. */
  readonly newId?: () => string;
}

export const createWal = (kind: WalKind, { brokerId, meta, objects, volume, newId }: WalParts): WriteAheadLog => {
  switch (kind) {
    case 's3':
      return new S3Wal(meta, objects());
    case 'block':
      return new BlockWal(volume(), brokerId, newId);
    case 'nfs':
      return new NfsWal(volume());
  }
};
