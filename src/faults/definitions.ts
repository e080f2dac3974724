// A fault by its name.
import type { FaultDefinition } from './fault.ts';
import { FAULT_REGISTRY } from './registry.ts';

export const faultDefinition = (kind: string): FaultDefinition | undefined =>
  FAULT_REGISTRY.find((definition) => definition.kind === kind);
