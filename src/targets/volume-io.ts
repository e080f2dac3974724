// How the I/O of volumes is disturbed: a small request to whoever serves them. A disturbance lives for a while only and has to be
// asked for again, so that it ends by itself when nobody does.
import { EnvironmentError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { Address } from './target.ts';

const DEADLINE_MS = 5000;

export type VolumeMethod = 'read' | 'sync' | 'write';

export interface VolumeDisturbance {
  readonly kind: 'stall' | 'latency' | 'error' | 'full' | 'read-only';
  /** Beginnings of names of volumes; empty: all I/O there is. */
  readonly volumes: readonly string[];
  readonly methods: readonly VolumeMethod[];
  readonly ttlMs: number;
  readonly latencyMs?: number;
  readonly errno?: string;
  /** How much may still be written. */
  readonly leaveBytes?: number;
}

export interface StandingDisturbance extends VolumeDisturbance {
  readonly name: string;
  /** Requests that it has held, delayed or refused. */
  readonly acted: number;
}

const pathOf = (name: string): string => `/disturbances/${encodeURIComponent(name)}`;

/** Begins one; asked for again as it is, it lives on for its time. */
export const disturbVolumes = async (
  address: Address,
  name: string,
  body: VolumeDisturbance,
  signal?: AbortSignal,
): Promise<void> => {
  const call = { method: 'PUT', address, path: pathOf(name), body, deadlineMs: DEADLINE_MS } as const;
  await httpJson(signal === undefined ? call : { ...call, signal });
};

/** All that stand. */
export const volumeDisturbances = async (
  address: Address,
  signal?: AbortSignal,
): Promise<readonly StandingDisturbance[]> => {
  const call = { method: 'GET', address, path: '/disturbances', deadlineMs: DEADLINE_MS } as const;
  return (await httpJson(signal === undefined ? call : { ...call, signal })) as readonly StandingDisturbance[];
};

/** Ends one; that there is none is no error. */
export const calmVolumes = async (address: Address, name: string, signal?: AbortSignal): Promise<void> => {
  const standing = await volumeDisturbances(address, signal);
  if (!standing.some((each) => each.name === name)) return;
  const call = { method: 'DELETE', address, path: pathOf(name), deadlineMs: DEADLINE_MS } as const;
  await httpJson(signal === undefined ? call : { ...call, signal });
};

const isRefused = (thrown: unknown): boolean =>
  thrown instanceof Error && ('code' in thrown ? thrown.code === 'ECONNREFUSED' : false);

/** Nobody listens there any more: a disturbance is in the memory of who was asked for it, and has ended with it. */
export const hasEnded = (thrown: unknown): boolean =>
  thrown instanceof EnvironmentError && thrown.code === 'TARGET_ADMIN_UNREACHABLE' && isRefused(thrown.cause);
