// Endpoints of a container: read from what the engine tells, compared field by field, and as the order that makes one again. A bare
// connect changes who a container is: its aliases, its fixed address and its interface are gone. Pure.
import type { NetworkEndpoint } from './container-control.ts';

/** The fields that are read of an entry of `NetworkSettings.Networks`. */
export interface RawEndpoint {
  readonly NetworkID?: string;
  readonly IPAddress?: string;
  readonly MacAddress?: string;
  readonly Aliases?: readonly string[] | null;
  readonly Links?: readonly string[] | null;
  readonly DriverOpts?: Readonly<Record<string, string>> | null;
  readonly IPAMConfig?: Readonly<Record<string, unknown>> | null;
}

const SHORT_ID_CHARACTERS = 12;

/** Only what is said: an empty address is none. */
const addressesOf = (config: RawEndpoint['IPAMConfig']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(config ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );

export const endpointOf = (
  network: string,
  raw: RawEndpoint,
  containerId: string,
  sinceMs: number,
): NetworkEndpoint => ({
  sinceMs,
  networkId: raw.NetworkID ?? '',
  network,
  aliases: [...new Set(raw.Aliases ?? [])]
    .filter((alias) => alias !== containerId.slice(0, SHORT_ID_CHARACTERS))
    .sort(),
  links: raw.Links ?? [],
  driverOptions: raw.DriverOpts ?? {},
  fixedAddresses: addressesOf(raw.IPAMConfig),
  address: raw.IPAddress ?? '',
  macAddress: raw.MacAddress ?? '',
});

const written = (value: NetworkEndpoint[keyof NetworkEndpoint]): string => {
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort();
  return Array.isArray(value) ? value.join(', ') : entries.map(([name, each]) => `${name}=${each}`).join(', ');
};

/** Told while the container runs, and empty otherwise; given anew whenever it is started. */
const GIVEN: readonly (keyof NetworkEndpoint)[] = ['address', 'macAddress'];

const isGivenAnew = (wanted: NetworkEndpoint, now: NetworkEndpoint): boolean =>
  Object.keys(wanted.fixedAddresses).length === 0 && wanted.sinceMs !== now.sinceMs;

/** The place of a container in the network of `wanted`. Engines name no id of a network that was entered by a container at rest. */
export const endpointIn = (
  endpoints: readonly NetworkEndpoint[],
  { networkId, network }: Pick<NetworkEndpoint, 'network' | 'networkId'>,
): NetworkEndpoint | undefined => {
  const found = endpoints.find(
    (each) => each.networkId === networkId || (each.networkId === '' && each.network === network),
  );
  return found === undefined ? undefined : { ...found, networkId };
};

/** Each field that is not as wanted: `aliases is none, was broker-1`. `isRunning`: whether it has an address to compare. */
export const endpointDifferences = (
  wanted: NetworkEndpoint,
  now: NetworkEndpoint | undefined,
  isRunning: boolean,
): readonly string[] => {
  if (now === undefined) return [`it has no endpoint in ${wanted.network}`];
  return (Object.keys(wanted) as (keyof NetworkEndpoint)[])
    .filter((field) => field !== 'sinceMs')
    .filter((field) => (isRunning && !isGivenAnew(wanted, now)) || !GIVEN.includes(field))
    .filter((field) => wanted[field] !== '' && written(wanted[field]) !== written(now[field]))
    .map(
      (field) =>
        `${field} in ${wanted.network} is ${written(now[field]) || 'none'}, was ${written(wanted[field]) || 'none'}`,
    );
};

/** The `EndpointConfig` that makes it again; engines of before API 1.44 take no hardware address there. */
export const endpointOrder = (
  { aliases, links, driverOptions, fixedAddresses, macAddress }: NetworkEndpoint,
  takesMacAddress: boolean,
): Readonly<Record<string, unknown>> => ({
  Aliases: [...aliases],
  ...(links.length > 0 && { Links: [...links] }),
  ...(Object.keys(driverOptions).length > 0 && { DriverOpts: { ...driverOptions } }),
  ...(Object.keys(fixedAddresses).length > 0 && { IPAMConfig: { ...fixedAddresses } }),
  ...(takesMacAddress && macAddress !== '' && { MacAddress: macAddress }),
});

/** The commands that do the same by hand. */
export const endpointCommand = (wanted: NetworkEndpoint, id: string): string => {
  const { networkId, aliases, links, driverOptions, fixedAddresses } = wanted;
  const options = [
    ...aliases.map((alias) => `--alias ${alias}`),
    ...links.map((link) => `--link ${link}`),
    ...Object.entries(driverOptions).map(([name, value]) => `--driver-opt ${name}=${value}`),
    ...(fixedAddresses['IPv4Address'] === undefined ? [] : [`--ip ${fixedAddresses['IPv4Address']}`]),
    ...(fixedAddresses['IPv6Address'] === undefined ? [] : [`--ip6 ${fixedAddresses['IPv6Address']}`]),
  ];
  const connect = ['docker network connect', ...options, networkId, id].join(' ');
  return `docker network disconnect ${networkId} ${id}; ${connect}`;
};
