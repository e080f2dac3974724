// Which versions to speak: what the broker said it takes, held against what the codec knows.

import { UNSUPPORTED_VERSION } from './error-codes.ts';
import {
  type ApiName,
  apiTable,
  correlationIdOf,
  decodeResponseFrame,
  type ResponseBody,
  WireError,
} from './protocol.ts';

export interface VersionRange {
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** What a broker answered to ApiVersions, by API key; keys that our table does not have are kept. */
export type BrokerVersions = ReadonlyMap<number, VersionRange>;

/** What we call ourselves in ApiVersions. */
export const SOFTWARE = { clientSoftwareName: 'ackproof', clientSoftwareVersion: '1' };

/** The version in which we ask first; brokers that do not know it say so in the form of version 0. */
export const FIRST_ASKED_VERSION = 3;

/** Whether an answer to ApiVersions says "not in this version"; its error code is at the same place in every version. */
export const isVersionRefusal = (frame: Buffer): boolean => {
  correlationIdOf(frame);
  return frame.length >= 6 && frame.readInt16BE(4) === UNSUPPORTED_VERSION;
};

const rangesOf = (answer: ResponseBody<'ApiVersions'>): BrokerVersions =>
  new Map(answer.apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, { minVersion, maxVersion }]));

/** Reads an answer to ApiVersions in the given version. */
export const readVersions = (frame: Buffer, version: number): BrokerVersions =>
  rangesOf(decodeResponseFrame('ApiVersions', version, frame).body);

/** The highest version that both sides know, or exactly `wanted`; `WIRE_UNSUPPORTED_VERSION` when there is none. */
export const chooseVersion = (api: ApiName, broker: BrokerVersions, wanted?: number): number => {
  const ours = apiTable.find((row) => row.name === api) as (typeof apiTable)[number];
  const theirs = broker.get(ours.key);
  if (theirs !== undefined) {
    const lowest = Math.max(ours.minVersion, theirs.minVersion, wanted ?? 0);
    const highest = Math.min(ours.maxVersion, theirs.maxVersion, wanted ?? ours.maxVersion);
    if (lowest <= highest) return highest;
  }
  const offer = theirs === undefined ? 'not at all' : `in versions ${theirs.minVersion} to ${theirs.maxVersion}`;
  const need = wanted === undefined ? `${ours.minVersion} to ${ours.maxVersion}` : String(wanted);
  throw new WireError('WIRE_UNSUPPORTED_VERSION', `The broker takes ${api} ${offer}; we need ${need}.`, {
    sent: false,
  });
};

/**
 * Whether a call failed because the broker does not serve it, or in no version that can say what is meant. Nothing was changed
 * then, and another way to the same evidence may do.
 */
export const isNotServed = (error: unknown): boolean =>
  error instanceof WireError && (error.code === 'WIRE_UNSUPPORTED_VERSION' || error.kafkaCode === UNSUPPORTED_VERSION);
