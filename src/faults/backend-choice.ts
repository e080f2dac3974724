// Which of its backends a fault is to use, as the scenario says it. A fault is prepared from its parameters alone, so the choice
// travels with them, under a key that no file can write.
import type { BackendName } from './fault.ts';

export type BackendChoice = 'auto' | BackendName;

const BACKEND = Symbol('backend');

type Chosen = Readonly<Record<string, unknown>> & { readonly [BACKEND]?: BackendChoice };

export const withBackend = (
  params: Readonly<Record<string, unknown>>,
  backend: BackendChoice,
): Readonly<Record<string, unknown>> => ({ ...params, [BACKEND]: backend });

export const backendOf = (params: Readonly<Record<string, unknown>>): BackendChoice =>
  (params as Chosen)[BACKEND] ?? 'auto';
