import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningProxy, startProxy } from '../../embedded/link-proxy/running-proxy.ts';
import { equalsSnapshot, type ToxicSpec, ToxiproxyProcess, toxicReadsBack } from './toxiproxy.ts';

const HOST = '127.0.0.1';
const latency: ToxicSpec = {
  name: 'slow',
  type: 'latency',
  stream: 'downstream',
  attributes: { latency: 50, jitter: 10 },
};
const reset: ToxicSpec = { name: 'rst', type: 'reset_peer', stream: 'downstream', attributes: { timeout: 0 } };

const swallow: ToxicSpec = { name: 'mute', type: 'timeout', stream: 'upstream', attributes: { timeout: 0 } };

let proxy: RunningProxy;
let process: ToxiproxyProcess;
beforeEach(async () => {
  proxy = await startProxy({ proxies: [{ name: 'link', listen: `${HOST}:0`, upstream: `${HOST}:9`, enabled: true }] });
  process = new ToxiproxyProcess({ host: HOST, port: proxy.apiPort });
});
afterEach(async () => {
  await proxy.stop();
});

/** A server in the place of a Toxiproxy that does what a test wants. */
const fakeApi = async (answer: RequestListener): Promise<{ server: Server; api: ToxiproxyProcess }> => {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, HOST, done));
  const { port } = server.address() as { port: number };
  return { server, api: new ToxiproxyProcess({ host: HOST, port }, { deadlineMs: 150 }) };
};

describe('a Toxiproxy process', () => {
  it('adds toxics that read back as asked, and takes them away again', async () => {
    const before = await process.readBack('link');
    await process.addToxic('link', latency);
    await process.addToxic('link', reset);
    const state = await process.readBack('link');
    expect([toxicReadsBack(state, latency), toxicReadsBack(state, reset)]).toEqual([undefined, undefined]);
    expect(equalsSnapshot(state, before)).toContain('was not there');
    await process.healToxics('link', ['slow', 'rst']);
    expect(equalsSnapshot(await process.readBack('link'), before)).toBeUndefined();
  });

  it('creates a proxy that does not listen until it is told to', async () => {
    const made = await process.createDisabled({ name: 'new-one', listen: `${HOST}:0`, upstream: `${HOST}:9` });
    expect(made.enabled).toBe(false);
    await process.setEnabled('new-one', true);
    expect(Object.keys(await process.snapshot())).toEqual(['link', 'new-one']);
  });

  it('heals a toxic that is not there, and leaves a disabled proxy disabled', async () => {
    await process.healToxics('link', ['never-was']);
    await process.addToxic('link', reset);
    await process.setEnabled('link', false);
    await process.healToxics('link', ['rst']);
    const state = await process.readBack('link');
    expect([state.enabled, state.toxics]).toEqual([false, []]);
  });

  it('refuses names that the API could not name again, before anything is sent', async () => {
    await expect(process.addToxic('link', { ...latency, name: 'a/b?c' })).rejects.toThrow(/cannot name/);
    await expect(process.readBack('LINK')).rejects.toThrow(/cannot name/);
  });

  it('tells what the server said when it refuses', async () => {
    await expect(process.readBack('nowhere')).rejects.toThrow(/404.*not found/i);
  });

  // Red before: the toxic was deleted, on which a Toxiproxy hangs as long as a connection still has data queued.
  it.each([
    { held: [latency, reset], kept: [] },
    { held: [swallow], kept: [] },
    { held: [{ ...latency, name: 'theirs' }, swallow], kept: ['theirs'] },
  ])('takes toxics away by declaring the proxy anew, and deletes none: $held.length', async ({ held, kept }) => {
    const calls: string[] = [];
    const listening = proxy.listening['link'] ?? '';
    for (const toxic of held) await process.addToxic('link', toxic);
    const { server, api } = await fakeApi((message, answer) => {
      let body = '';
      message.on('data', (chunk: Buffer) => (body += chunk.toString()));
      message.on('end', () => {
        if (message.method !== 'GET') calls.push(`${message.method} ${message.url} ${body}`.trim());
        const url = `http://${HOST}:${proxy.apiPort}${message.url}`;
        void fetch(url, { method: message.method ?? '', ...(body === '' ? {} : { body }) }).then(async (response) => {
          answer.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text());
        });
      });
    });
    await api.healToxics('link', ['slow', 'rst', 'mute']);
    expect(calls).toEqual([
      'PATCH /proxies/link {"enabled":false}',
      'DELETE /proxies/link',
      `POST /proxies {"name":"link","listen":"${listening}","upstream":"${HOST}:9","enabled":false}`,
      ...kept.map(() => expect.stringMatching(/^POST \/proxies\/link\/toxics .*"theirs"/) as string),
      'PATCH /proxies/link {"enabled":true}',
    ]);
    expect(await process.readBack('link')).toMatchObject({ enabled: true, toxics: kept.map((name) => ({ name })) });
    server.close();
  });

  it('lets nobody see a proxy that is being declared anew', async () => {
    await process.addToxic('link', latency);
    const healing = process.healToxics('link', ['slow']);
    const seen = await Promise.all(Array.from({ length: 20 }, async () => await process.readBack('link')));
    await healing;
    expect(seen.map(({ enabled, toxics }) => [enabled, toxics])).toEqual(seen.map(() => [true, []]));
  });

  it('opens or closes a proxy that only differs by that, and declares one that is gone', async () => {
    const was = await process.readBack('link');
    await process.setEnabled('link', false);
    await process.restore(was, []);
    expect(await process.readBack('link')).toEqual(was);
    await fetch(`http://${HOST}:${proxy.apiPort}/proxies/link`, { method: 'DELETE' });
    expect(await process.find('link')).toBeUndefined();
    await process.restore({ ...was, enabled: false, toxics: [{ ...reset, toxicity: 0.25 }] }, []);
    expect(await process.readBack('link')).toMatchObject({ enabled: false, toxics: [{ name: 'rst', toxicity: 0.25 }] });
  });

  it('takes a toxic away again that came out different', async () => {
    const calls: string[] = [];
    const { server, api } = await fakeApi((message, answer) => {
      calls.push(`${message.method} ${message.url}`);
      const echo = { ...latency, toxicity: 1, attributes: { latency: 0, jitter: 10 } };
      answer.end(JSON.stringify(message.method === 'POST' ? echo : { name: 'link', enabled: false, toxics: [echo] }));
    });
    await expect(api.addToxic('link', latency)).rejects.toThrow(/latency is 0, not 50/);
    expect(calls.slice(-3)).toEqual(['GET /proxies/link', 'DELETE /proxies/link', 'POST /proxies']);
    server.close();
  });

  it('asks nothing more of a process that ran over a deadline', async () => {
    let calls = 0;
    const { server, api } = await fakeApi(() => {
      calls++;
    });
    await expect(api.readBack('link')).rejects.toThrow(/Waited/);
    await expect(api.setEnabled('link', true)).rejects.toThrow(/hung on "GET \/proxies\/link"/);
    expect([calls, api.suspect]).toEqual([1, 'GET /proxies/link']);
    server.closeAllConnections();
    server.close();
  });

  it('goes on with a process that answered late after all, because it was slow and not wedged', async () => {
    let calls = 0;
    const { server, api } = await fakeApi((_message, answer) => {
      const late = ++calls === 1 ? 200 : 0;
      setTimeout(() => answer.end(JSON.stringify({ name: 'link', enabled: true, toxics: [] })), late);
    });
    await expect(api.readBack('link')).rejects.toThrow(/Waited/);
    await api.setEnabled('link', true);
    expect([calls, api.suspect]).toEqual([2, undefined]);
    server.close();
  });

  it('asks nothing more of a process that gave up on a call long after its deadline', async () => {
    let calls = 0;
    const { server, api } = await fakeApi((_message, answer) => {
      calls++;
      answer.statusCode = 503;
      setTimeout(() => answer.end('<html>'), 200);
    });
    await expect(api.readBack('link')).rejects.toThrow(/Waited/);
    await expect(api.setEnabled('link', true)).rejects.toThrow(/hung on/);
    expect(calls).toBe(1);
    server.close();
  });

  it('has one call under way at a time', async () => {
    let open = 0;
    let most = 0;
    const { server, api } = await fakeApi((_message, answer) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        answer.end('{}');
      }, 5);
    });
    await Promise.all(Array.from({ length: 6 }, async () => await api.readBack('link')));
    expect(most).toBe(1);
    server.close();
  });
});
