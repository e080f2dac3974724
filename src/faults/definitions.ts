// A fault by its name.
import type { UserCommands } from '../targets/target.ts';
import type { FaultDefinition } from './fault.ts';
import { FAULT_REGISTRY } from './registry.ts';

export const faultDefinition = (kind: string): FaultDefinition | undefined =>
  FAULT_REGISTRY.find((definition) => definition.kind === kind);

/** The same, performed by the programs that a target has for it, where it has some. */
export const faultOn = (kind: string, commands: UserCommands | undefined): FaultDefinition | undefined => {
  const definition = faultDefinition(kind);
  if (definition === undefined || commands?.named[kind] === undefined) return definition;
  return {
    ...definition,
    requires: ['commands'],
    prepare: async (context, selector, params, signal) => {
      const { prepareByCommand } = await import('./command-fault.ts');
      // A fault that may be everybody's says so by its victims, or has a permission of its own.
      const mayHitAll = definition.victims.includes('all');
      const request = { fault: definition.kind, name: kind, context, selector, params, mayHitAll };
      return await prepareByCommand(request, signal);
    },
  };
};
