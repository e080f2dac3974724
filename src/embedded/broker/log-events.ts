// What the partition log tells, as lines of the broker's log.
import { describeError } from '../../errors.ts';
import type { LogNotice } from '../log/interfaces.ts';
import type { ProgramLog } from '../program-log.ts';

export const describeLogEvent = (log: ProgramLog, partition: string, event: LogNotice): void => {
  switch (event.kind) {
    case 'recovered': {
      const range = `${event.uploadedEnd} to ${event.recoveredEnd}`;
      log.info(`recovered ${partition}: offsets ${range} from ${event.slots} slots of the write-ahead log`);
      return;
    }
    case 'ended':
      log.warn(`ownership ended of ${partition}: ${event.because}`);
      return;
    case 'store-away':
      log.warn(`store away on ${partition} while ${event.doing}: ${describeError(event.error)}`);
      return;
    case 'uploaded':
      log.info(`uploaded ${partition}: offsets ${event.from} to ${event.to}, ${event.sizeBytes} bytes`);
      return;
  }
};
