// What of a changed proxy is still not as it was, and the commands that put it back by hand the way ackproof does it: closed,
// deleted and declared anew (docs/decisions/0008).
import { describeError } from '../errors.ts';
import type { ProxyState, ToxiproxyProcess } from './backends/toxiproxy.ts';
import type { UndoStep } from './fault.ts';

/** A change that is still there, and the command that takes it back. */
export interface StillThere {
  readonly what: string;
  readonly byHand: string;
}

const quoted = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;

/** Declares a proxy that is not there. */
const declaring = (url: string, { name, listen, upstream, enabled, toxics }: ProxyState): readonly string[] => {
  const openAtOnce = enabled && toxics.length === 0;
  return [
    `curl -X POST ${url} -d ${quoted({ name, listen, upstream, enabled: openAtOnce })}`,
    ...toxics.map((toxic) => `curl -X POST ${url}/${name}/toxics -d ${quoted(toxic)}`),
    ...(enabled && !openAtOnce ? [opening(url, name, true)] : []),
  ];
};

const opening = (url: string, name: string, enabled: boolean): string =>
  `curl -X PATCH ${url}/${name} -d ${quoted({ enabled })}`;

/** Looks at the proxy of a step; nothing when it is as it was. Never rejects. */
export const proxyLeft = async (
  { admin, proxy: was, toxics: ours }: UndoStep & { readonly do: 'restore-proxy' },
  toxiproxy: ToxiproxyProcess,
): Promise<StillThere[]> => {
  const { name } = was;
  const url = `http://${admin.host}:${admin.port}/proxies`;
  const isOurs = (toxic: { readonly name: string }): boolean => ours.includes(toxic.name);
  const withoutOurs = (proxy: ProxyState): ProxyState => ({
    ...proxy,
    enabled: was.enabled,
    toxics: proxy.toxics.filter((toxic) => !isOurs(toxic)),
  });
  try {
    const now = await toxiproxy.find(name);
    if (now === undefined) {
      return [{ what: `proxy ${name} is not there`, byHand: declaring(url, withoutOurs(was)).join(' && ') }];
    }
    const left = now.toxics.filter(isOurs).map((toxic) => toxic.name);
    if (left.length > 0) {
      const commands = [
        opening(url, name, false),
        `curl -X DELETE ${url}/${name}`,
        ...declaring(url, withoutOurs(now)),
      ];
      const toxics = `${left.length === 1 ? 'the toxic' : 'the toxics'} ${left.join(', ')}`;
      return [{ what: `proxy ${name} still has ${toxics}`, byHand: commands.join(' && ') }];
    }
    if (now.enabled === was.enabled) return [];
    const state = now.enabled ? 'enabled' : 'disabled';
    return [{ what: `proxy ${name} is ${state}`, byHand: opening(url, name, was.enabled) }];
  } catch (thrown) {
    return [{ what: `proxy ${name}: ${describeError(thrown)}`, byHand: opening(url, name, was.enabled) }];
  }
};
