// What a container was made with, so that another one can be made of it that is the same to everybody: name, image, settings, labels,
// limits and places in networks. Read from what the engine tells, given back as an order, and compared field by field. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { NetworkEndpoint } from './container-control.ts';
import { endpointDifferences, endpointIn, endpointOrder } from './container-endpoints.ts';
import type { ContainerFacts } from './container-facts.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ContainerRecipe {
  readonly name: string;
  /** Of the image itself: its name may mean another one by now. */
  readonly imageId: string;
  /** `Config` in the engine's own words, without what the engine made up for this one container. */
  readonly config: Fields;
  /** `HostConfig` in the engine's own words. */
  readonly hostConfig: Fields;
  readonly endpoints: readonly NetworkEndpoint[];
}

/** The fields of an answer that only a recipe keeps, whatever is in them. */
export interface RawRecipe {
  readonly Config: object;
  readonly HostConfig?: object;
}

const SHORT_ID_CHARACTERS = 12;

/** A host name that nobody chose is the container's own short id. */
const configOf = ({ Hostname, ...config }: Fields, id: string): Fields =>
  Hostname === id.slice(0, SHORT_ID_CHARACTERS) ? config : { ...config, Hostname };

export const recipeOf = ({ id, name, imageId, endpoints }: ContainerFacts, raw: RawRecipe): ContainerRecipe => ({
  name,
  imageId,
  config: configOf({ ...raw.Config }, id),
  hostConfig: { ...raw.HostConfig },
  endpoints,
});

/** The network that the container is made in; it enters the others afterwards. */
const firstEndpoint = ({ hostConfig, endpoints }: ContainerRecipe): NetworkEndpoint | undefined =>
  endpoints.find(({ network, networkId }) => [network, networkId].includes(String(hostConfig['NetworkMode'])));

/** The body of the order that makes it; its hardware addresses are as new as it is. */
export const recipeOrder = (recipe: ContainerRecipe): Fields => {
  const first = firstEndpoint(recipe);
  const places = first === undefined ? {} : { [first.network]: endpointOrder(first, false) };
  return { ...recipe.config, HostConfig: recipe.hostConfig, NetworkingConfig: { EndpointsConfig: places } };
};

/** The networks it has still to enter once it is made. */
export const laterEndpoints = (recipe: ContainerRecipe): readonly NetworkEndpoint[] => {
  const first = firstEndpoint(recipe);
  return recipe.endpoints.filter((endpoint) => endpoint !== first);
};

/** Variables by their names, for their values may be secret. Of one that is there twice the last counts. */
const variablesOf = (env: unknown): ReadonlyMap<string, string> =>
  new Map(
    (Array.isArray(env) ? env : []).map((each): [string, string] => {
      const [name = ''] = String(each).split('=', 1);
      return [name, String(each)];
    }),
  );

const environmentDifferences = (was: unknown, now: unknown): readonly string[] => {
  const [before, after] = [variablesOf(was), variablesOf(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => before.get(name) !== after.get(name));
  if (changed.length > 0) return [`Config.Env has another ${changed.join(', ')}`];
  return isDeepStrictEqual(was, now) ? [] : ['Config.Env has the same variables in another order'];
};

const told = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

const withoutEnvironment = (config: Fields): Fields =>
  Object.fromEntries(Object.entries(config).filter(([field]) => field !== 'Env'));

const fieldDifferences = (of: string, was: Fields, now: Fields): readonly string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(now)])]
    .filter((field) => !isDeepStrictEqual(was[field], now[field]))
    .map((field) => `${of}.${field} is ${told(now[field])}, was ${told(was[field])}`);

/** Each field in which a container that was made anew is not what the old one was; it has not been started yet. */
export const recipeDifferences = (was: ContainerRecipe, now: ContainerRecipe): readonly string[] => [
  ...(was.name === now.name ? [] : [`its name is ${now.name}, was ${was.name}`]),
  ...(was.imageId === now.imageId ? [] : [`its image is ${now.imageId}, was ${was.imageId}`]),
  ...environmentDifferences(was.config['Env'], now.config['Env']),
  ...fieldDifferences('Config', withoutEnvironment(was.config), withoutEnvironment(now.config)),
  ...fieldDifferences('HostConfig', was.hostConfig, now.hostConfig),
  ...was.endpoints.flatMap((endpoint) => endpointDifferences(endpoint, endpointIn(now.endpoints, endpoint), false)),
  ...now.endpoints
    .filter(({ network }) => !was.endpoints.some((each) => each.network === network))
    .map(({ network }) => `it is in ${network}, and was not`),
];
