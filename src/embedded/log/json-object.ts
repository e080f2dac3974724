// Small objects are JSON, so that a person can read them in the store; written with a version, read back with a check.
import { LogDamaged } from './log-damaged.ts';

const VERSION = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `value` with a version beside its fields. */
export const encodeJson = (value: object): Uint8Array => encoder.encode(JSON.stringify({ version: VERSION, ...value }));

/** The object that `encodeJson` wrote; `what` names it in the error. */
export const decodeJson = (bytes: Uint8Array, what: string): unknown => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new LogDamaged(`${what} is not JSON`, { cause });
  }
  const version = typeof parsed === 'object' && parsed !== null ? (parsed as { version?: unknown }).version : undefined;
  if (version !== VERSION) throw new LogDamaged(`${what} has version ${String(version)}, not ${VERSION}`);
  return parsed;
};
