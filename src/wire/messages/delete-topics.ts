// DeleteTopics, key 20: by name in `topicNames` up to version 5, by name or id in `topics` from version 6 on.
import { array, defineApi, int16, int32, string, stringArray, uuid } from '../schema.ts';

export const deleteTopics = defineApi({
  name: 'DeleteTopics',
  key: 20,
  minVersion: 1,
  maxVersion: 6,
  flexibleFrom: 4,
  request: {
    topics: array({ name: string({ nullableSince: 6, default: null }), topicId: uuid({ since: 6 }) }, { since: 6 }),
    topicNames: stringArray({ since: 0, until: 5 }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    responses: array({
      name: string({ nullableSince: 6 }),
      topicId: uuid({ since: 6 }),
      errorCode: int16(),
      errorMessage: string({ since: 5, nullableSince: 5, default: null }),
    }),
  },
});
