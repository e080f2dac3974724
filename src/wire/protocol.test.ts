import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyArbitrary } from '../../test/support/body-arbitrary.ts';
import { ByteWriter } from './byte-writer.ts';
import { messageTable } from './message-table.ts';
import {
  apiTable,
  decodeRequestFrame,
  decodeResponseFrame,
  encodeRequestFrame,
  encodeResponseFrame,
  WireError,
} from './protocol.ts';

const withoutLength = (frame: Buffer): Buffer => {
  expect(frame.readInt32BE(0)).toBe(frame.length - 4);
  return frame.subarray(4);
};

const thrownBy = (run: () => unknown): WireError => {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
};

const everyVersion = messageTable.flatMap((api) =>
  Array.from({ length: api.maxVersion - api.minVersion + 1 }, (_, step) => ({ api, version: api.minVersion + step })),
);

describe('every row of the message table in every version', () => {
  it.each(everyVersion)(
    '$api.name v$version: decoding an encoded request gives the same request',
    ({ api, version }) => {
      fc.assert(
        fc.property(
          bodyArbitrary(api.request, version),
          fc.integer(),
          fc.option(fc.string({ maxLength: 9 })),
          (body, correlationId, clientId) => {
            const frame = encodeRequestFrame(api.name, version, { correlationId, clientId }, body as never);
            expect(decodeRequestFrame(withoutLength(frame))).toEqual({
              api: api.name,
              version,
              correlationId,
              clientId,
              body,
            });
          },
        ),
        { numRuns: 25 },
      );
    },
  );

  it.each(everyVersion)(
    '$api.name v$version: decoding an encoded response gives the same response',
    ({ api, version }) => {
      fc.assert(
        fc.property(bodyArbitrary(api.response, version), fc.integer(), (body, correlationId) => {
          const frame = encodeResponseFrame(api.name, version, correlationId, body as never);
          expect(decodeResponseFrame(api.name, version, withoutLength(frame))).toEqual({ correlationId, body });
        }),
        { numRuns: 25 },
      );
    },
  );

  it('has sorted, unique names and keys, and ranges that make sense', () => {
    const names = apiTable.map((api) => api.name);
    expect(names).toEqual([...names].sort());
    expect(new Set(apiTable.map((api) => api.key)).size).toBe(apiTable.length);
    for (const api of apiTable) expect(api.minVersion).toBeLessThanOrEqual(api.maxVersion);
  });
});

describe('frames as other implementations write them', () => {
  it('writes ApiVersions v3 byte for byte as the protocol describes it', () => {
    const frame = encodeRequestFrame(
      'ApiVersions',
      3,
      { correlationId: 7, clientId: 'me' },
      { clientSoftwareName: 'ab', clientSoftwareVersion: '1' },
    );
    expect(frame.toString('hex')).toBe(
      '00000013' + '0012' + '0003' + '00000007' + '00026d65' + '00' + '036162' + '0231' + '00',
    );
  });

  it('answers ApiVersions v3 without a tagged section in the header', () => {
    const frame = encodeResponseFrame('ApiVersions', 3, 9, { errorCode: 35, apiKeys: [] });
    expect(frame.toString('hex')).toBe('0000000c' + '00000009' + '0023' + '01' + '00000000' + '00');
  });

  it('steps over tags it does not know and keeps those it does', () => {
    const known = encodeResponseFrame('Produce', 10, 1, {
      responses: [
        {
          name: 't',
          partitionResponses: [
            { index: 0, errorCode: 6, baseOffset: -1, currentLeader: { leaderId: 2, leaderEpoch: 5 } },
          ],
        },
      ],
    });
    const plain = withoutLength(known);
    // The body ends with its own tagged section; there the number of tags goes from 0 to 1, with a tag nobody knows.
    const foreign = Buffer.concat([plain.subarray(0, -1), Buffer.from([1, 99, 3, 1, 2, 3])]);
    const { body } = decodeResponseFrame('Produce', 10, foreign);
    expect(body.responses[0]?.partitionResponses[0]?.currentLeader).toEqual({ leaderId: 2, leaderEpoch: 5 });
  });

  it('lets optional fields be left out', () => {
    const frame = encodeRequestFrame(
      'Fetch',
      11,
      { correlationId: 1, clientId: null },
      { maxWaitMs: 1, minBytes: 1, topics: [] },
    );
    const decoded = decodeRequestFrame(withoutLength(frame));
    expect(decoded.body).toMatchObject({ replicaId: -1, maxBytes: 0x7fffffff, sessionEpoch: -1, rackId: '' });
  });
});

describe('bytes that are not the protocol', () => {
  const request = (key: number, version: number, ...rest: readonly number[]): Buffer => {
    const writer = new ByteWriter();
    writer.int16(key);
    writer.int16(version);
    writer.int32(42);
    writer.raw(Buffer.from(rest));
    return writer.finish();
  };

  it('tells a broker which request it could not take', () => {
    const unknownVersion = thrownBy(() => decodeRequestFrame(request(18, 99)));
    expect(unknownVersion.code).toBe('WIRE_UNSUPPORTED_VERSION');
    expect(unknownVersion.request).toEqual({ apiKey: 18, version: 99, correlationId: 42 });
    const unknownKey = thrownBy(() => decodeRequestFrame(request(999, 0)));
    expect(unknownKey.code).toBe('WIRE_UNKNOWN_API');
    expect(unknownKey.request).toEqual({ apiKey: 999, version: 0, correlationId: 42 });
  });

  it('refuses counts for which there are no bytes, before it allocates', () => {
    // Metadata v1, no client id, 2^31 − 1 topics.
    const error = thrownBy(() => decodeRequestFrame(request(3, 1, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff)));
    expect(error.code).toBe('WIRE_COUNT_TOO_LARGE');
    expect(error.request?.correlationId).toBe(42);
  });

  it('refuses a null where the version has none, leftovers and short frames', () => {
    expect(thrownBy(() => decodeRequestFrame(request(3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))).code).toBe(
      'WIRE_NULL_NOT_ALLOWED',
    );
    expect(thrownBy(() => decodeRequestFrame(request(16, 0, 0xff, 0xff, 1))).code).toBe('WIRE_TRAILING_BYTES');
    expect(thrownBy(() => decodeRequestFrame(Buffer.alloc(5))).code).toBe('WIRE_TRUNCATED');
  });

  it('refuses integers of 64 bits that a number cannot hold exactly', () => {
    const frame = encodeResponseFrame('InitProducerId', 0, 1, { errorCode: 0, producerId: 5, producerEpoch: 0 });
    frame.fill(0x7f, 14, 22);
    expect(thrownBy(() => decodeResponseFrame('InitProducerId', 0, frame.subarray(4))).code).toBe('WIRE_INT64_UNSAFE');
  });

  it('refuses to encode what does not fit', () => {
    const error = thrownBy(() => encodeResponseFrame('Heartbeat', 1, 1, { throttleTimeMs: 0, errorCode: 70_000 }));
    expect(error.code).toBe('WIRE_VALUE_UNENCODABLE');
    expect(thrownBy(() => encodeResponseFrame('Heartbeat', 9, 1, { errorCode: 0 })).code).toBe(
      'WIRE_UNSUPPORTED_VERSION',
    );
  });
});
