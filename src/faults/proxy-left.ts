// What of a changed proxy is still not as it was, and the commands that put it back by hand the way ackproof does it: closed,
// deleted and declared anew (docs/decisions/0008).
import { describeError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import { type ProxyState, type ToxiproxyProcess, withoutNamed } from './backends/toxiproxy.ts';
import type { UndoStep } from './fault.ts';

/** A change that is still there, and the command that takes it back. */
export interface StillThere {
  readonly what: string;
  readonly byHand: string;
}

const curl = (method: string, url: string, body?: unknown): string =>
  `curl -fsS -m 10 -X ${method} ${shellQuoted(url)}${body === undefined ? '' : ` -d ${shellQuoted(JSON.stringify(body))}`}`;

/** Opens or closes a proxy. */
const enabling = (url: string, name: string, enabled: boolean): string => curl('PATCH', `${url}/${name}`, { enabled });

/** Declares a proxy that is not there. */
const declaring = (url: string, { name, listen, upstream, enabled, toxics }: ProxyState): readonly string[] => {
  const opensAtOnce = enabled && toxics.length === 0;
  return [
    curl('POST', url, { name, listen, upstream, enabled: opensAtOnce }),
    ...toxics.map((toxic) => curl('POST', `${url}/${name}/toxics`, toxic)),
    ...(enabled && !opensAtOnce ? [enabling(url, name, true)] : []),
  ];
};

/** Looks at the proxy of a step; nothing when it is as it was. Never rejects. */
export const proxyLeft = async (
  { admin, proxy: was, toxics: ours }: UndoStep & { readonly do: 'restore-proxy' },
  toxiproxy: ToxiproxyProcess,
): Promise<StillThere[]> => {
  const { name } = was;
  const url = `http://${admin.host}:${admin.port}/proxies`;
  const withoutOurs = ({ toxics, ...proxy }: ProxyState): ProxyState => ({
    ...proxy,
    enabled: was.enabled,
    toxics: withoutNamed(toxics, ours),
  });
  const declareAnew = declaring(url, withoutOurs(was)).join(' && ');
  try {
    const now = await toxiproxy.find(name);
    if (now === undefined) return [{ what: `proxy ${name} is not there`, byHand: declareAnew }];
    const left = now.toxics.map((toxic) => toxic.name).filter((name) => ours.includes(name));
    if (left.length > 0) {
      const commands = [
        enabling(url, name, false),
        curl('DELETE', `${url}/${name}`),
        ...declaring(url, withoutOurs(now)),
      ];
      const toxics = `${left.length === 1 ? 'the toxic' : 'the toxics'} ${left.join(', ')}`;
      return [{ what: `proxy ${name} still has ${toxics}`, byHand: commands.join(' && ') }];
    }
    if (now.enabled === was.enabled) return [];
    const state = now.enabled ? 'enabled' : 'disabled';
    return [{ what: `proxy ${name} is ${state}`, byHand: enabling(url, name, was.enabled) }];
  } catch (thrown) {
    const what = `proxy ${name}: ${describeError(thrown)}`;
    return [{ what, byHand: `restart the Toxiproxy at ${admin.host}:${admin.port}, then ${declareAnew}` }];
  }
};
