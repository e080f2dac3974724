// ApiVersions: the rows of the message table, as ranges.
import { apiTable } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { Handler } from '../handler.ts';

const apiKeys = apiTable
  .map((api) => ({ apiKey: api.key, minVersion: api.claimedMinVersion, maxVersion: api.maxVersion }))
  .sort((one, other) => one.apiKey - other.apiKey);

export const apiVersionsHandler = (): Handler<'ApiVersions'> => () => ({ errorCode: KAFKA.NONE, apiKeys });
