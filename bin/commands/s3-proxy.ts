// `s3-proxy`: the S3 fault proxy by itself. It lives as long as this command; rules come by its admin API.
import { once } from 'node:events';
import { writeErr, writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

type Library = typeof import('../../src/index.ts');

/** The compiler leaves an `import()` as it is where `await using` stands in the same function, so it has one of its own. */
const load = async (): Promise<Library> => await import('../../src/index.ts');

const serve = async (words: Parameters<Library['s3ProxyOptionsOf']>[0], format: 'json' | 'text'): Promise<number> => {
  const { renderS3Proxy, s3ProxyOptionsOf, startS3Proxy, troubleOfS3Proxy } = await load();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const options = await s3ProxyOptionsOf(words);
  await using proxy = await startS3Proxy(options, writeErr);
  const { listeners, admin } = proxy;
  if (format === 'json') writeOut(JSON.stringify({ ready: true, pid: process.pid, listeners, admin }));
  else writeOut(await renderS3Proxy(proxy, options));
  for (const sentence of await troubleOfS3Proxy(proxy, options)) writeErr(sentence);
  if (format === 'text') writeErr('Ctrl-C ends it, and every connection through it.');
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  return 0;
};

export const s3Proxy = defineCommand(
  's3-proxy',
  'the S3 fault proxy by itself: listeners in front of an object store, rules by its admin API',
  (argv) =>
    argv
      .option('upstream', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'URL of the object store',
      })
      .option('listen', {
        type: 'string',
        requiresArg: true,
        array: true,
        demandOption: true,
        describe: 'a listener, NAME=[HOST:]PORT; port 0 is any free one',
      })
      .option('admin', {
        type: 'string',
        requiresArg: true,
        default: '127.0.0.1:0',
        describe: 'where rules come in, [HOST:]PORT; it has no login',
      })
      .option('seed', { type: 'number', requiresArg: true, default: 0, describe: 'of what rules leave to chance' })
      .option('upstream-name', { type: 'string', requiresArg: true, describe: 'name on the certificate of the store' })
      .option('ca', { type: 'string', requiresArg: true, describe: 'authorities for that certificate, a PEM file' })
      .option('format', FORMAT_OPTION)
      .example(
        '$0 s3-proxy --upstream http://127.0.0.1:9000 --listen s3-data=9101',
        'one listener, rules by a free port',
      ),
  async ({ format, ...words }) => await serve({ ...words, upstreamName: words['upstream-name'] }, format),
);
