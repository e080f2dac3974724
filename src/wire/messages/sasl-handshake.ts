// SaslHandshake, key 17: names the mechanism of a login. Version 0 is left out: after it the tokens go over the wire without
// frames, which no broker since Kafka 1.0 asks for.
import { defineApi, int16, string, stringArray } from '../schema.ts';

export const saslHandshake = defineApi({
  name: 'SaslHandshake',
  key: 17,
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 2,
  request: { mechanism: string() },
  response: {
    errorCode: int16(),
    /** What the broker offers, whether or not the asked one is among it. */
    mechanisms: stringArray(),
  },
});
