// SaslAuthenticate, key 36: one token of a login each way; what is in it is the mechanism's matter.
import { bytes, defineApi, int16, int64, string } from '../schema.ts';

export const saslAuthenticate = defineApi({
  name: 'SaslAuthenticate',
  key: 36,
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  request: { authBytes: bytes() },
  response: {
    errorCode: int16(),
    errorMessage: string({ nullableSince: 0, default: null }),
    authBytes: bytes(),
    /** After so many milliseconds the broker closes a connection that has not logged in again; 0 is for ever. */
    sessionLifetimeMs: int64({ since: 1, default: 0 }),
  },
});
