import { describe, expect, it } from 'vitest';
import { type ProxyState, type ToxicState, ToxiproxyProcess } from './backends/toxiproxy.ts';
import { proxyLeft } from './proxy-left.ts';

const admin = { host: '127.0.0.1', port: 8474 };
const api = 'http://127.0.0.1:8474/proxies';
const toxic = (name: string): ToxicState => ({
  name,
  type: 'latency',
  stream: 'downstream',
  toxicity: 1,
  attributes: { latency: 5 },
});
const was: ProxyState = { name: 'link', listen: '127.0.0.1:1', upstream: "it's:2", enabled: true, toxics: [] };

/** What is told of a proxy that the server has as `now`, or does not have. */
const leftOf = async (now: ProxyState | undefined, before = was) => {
  const toxiproxy = new ToxiproxyProcess(admin);
  toxiproxy.find = async () => await Promise.resolve(now);
  return await proxyLeft({ do: 'restore-proxy', admin, proxy: before, toxics: ['ours-1', 'ours-2'] }, toxiproxy);
};

const create = (enabled: boolean): string =>
  `curl -fsS -m 10 -X POST '${api}' -d '{"name":"link","listen":"127.0.0.1:1","upstream":"it'\\''s:2","enabled":${enabled}}'`;

describe('what is left of a changed proxy', () => {
  it('is nothing where it is as it was, with or without toxics of others', async () => {
    expect(await leftOf(was)).toEqual([]);
    expect(await leftOf({ ...was, toxics: [toxic('theirs')] })).toEqual([]);
  });

  it('is one command for all of our toxics, which keeps those of others', async () => {
    const [left] = await leftOf({ ...was, toxics: [toxic('ours-1'), toxic('theirs'), toxic('ours-2')] });
    expect(left).toEqual({
      what: 'proxy link still has the toxics ours-1, ours-2',
      byHand: [
        `curl -fsS -m 10 -X PATCH '${api}/link' -d '{"enabled":false}'`,
        `curl -fsS -m 10 -X DELETE '${api}/link'`,
        create(false),
        `curl -fsS -m 10 -X POST '${api}/link/toxics' -d '${JSON.stringify(toxic('theirs'))}'`,
        `curl -fsS -m 10 -X PATCH '${api}/link' -d '{"enabled":true}'`,
      ].join(' && '),
    });
  });

  it('is the declaration of one that is gone', async () => {
    expect(await leftOf(undefined)).toEqual([{ what: 'proxy link is not there', byHand: create(true) }]);
    expect(await leftOf(undefined, { ...was, enabled: false })).toMatchObject([{ byHand: create(false) }]);
  });

  it('is a restart and the declaration where nobody answers', async () => {
    const toxiproxy = new ToxiproxyProcess(admin);
    toxiproxy.find = async () => await Promise.reject(new Error('no answer'));
    expect(await proxyLeft({ do: 'restore-proxy', admin, proxy: was, toxics: [] }, toxiproxy)).toEqual([
      { what: 'proxy link: no answer', byHand: `restart the Toxiproxy at 127.0.0.1:8474, then ${create(true)}` },
    ]);
  });

  it('is the command that opens or closes one that only differs by that', async () => {
    expect(await leftOf({ ...was, enabled: false })).toEqual([
      { what: 'proxy link is disabled', byHand: `curl -fsS -m 10 -X PATCH '${api}/link' -d '{"enabled":true}'` },
    ]);
  });
});
