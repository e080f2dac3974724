// Which endpoints of the object store a fault is about: those of its victims on one path.
import { EnvironmentError } from '../errors.ts';
import type { StartedTarget, StoreEndpoint, StoreProxies } from '../targets/target.ts';
import type { Victims } from './victim.ts';

/** At least one for each victim. @throws EnvironmentError for a victim that has none. */
export const endpointsOf = (
  { all }: StoreProxies,
  path: StoreEndpoint['path'],
  victims: Victims,
  { description }: Pick<StartedTarget, 'description'>,
): readonly StoreEndpoint[] =>
  victims.nodes.flatMap((node) => {
    const found = all.filter((endpoint) => endpoint.path === path && endpoint.node === node);
    if (found.length > 0) return found;
    throw new EnvironmentError(
      'FAULT_NO_ENDPOINT',
      `${node} of ${description.name} reaches the object store by no S3 fault proxy on the path ${path}.`,
      { hint: 'Choose another victim or another path, or put a listener of the proxy there.' },
    );
  });
