// ApiVersions: the rows of the message table, as ranges.
import { apiTable } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import { type Handler, isServed } from '../handler.ts';

const apiKeys = apiTable
  .filter((api) => isServed(api.name))
  .map((api) => ({ apiKey: api.key, minVersion: api.claimedMinVersion, maxVersion: api.maxVersion }))
  .sort((one, other) => one.apiKey - other.apiKey);

export const apiVersionsHandler = (): Handler<'ApiVersions'> => () => ({ errorCode: KAFKA.NONE, apiKeys });
