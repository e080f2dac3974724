// Which listener on this machine an address leads to: brokers may advertise any name or address of the machine, while the engine
// tells where a port is published by an address only.
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { ContainerFacts } from './container-facts.ts';
import { isSame, type LeadsTo } from './served-addresses.ts';

/** What a name means to programs here; nothing where it is not known. */
const addressesOf = async (host: string): Promise<readonly string[]> => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
};

const isOfThisMachine = (address: string): boolean =>
  address.startsWith('127.') ||
  Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address) ?? false);

/** By what the containers publish. */
export const leadsToPublished =
  (containers: readonly Pick<ContainerFacts, 'published'>[]): LeadsTo =>
  async (told, listener) => {
    if (isSame(told, listener)) return true;
    if (told.port !== listener.port) return false;
    const isEverywhere = containers.some(({ published }) =>
      published.some(({ port, everywhere }) => everywhere === true && port === listener.port),
    );
    const addresses = await addressesOf(told.host);
    return addresses.some((each) => each === listener.host || (isEverywhere && isOfThisMachine(each)));
  };
