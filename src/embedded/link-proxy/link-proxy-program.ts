// The link proxy as a program: `node link-proxy-program.js '<json>'`, settings in running-proxy.ts. Prints one line of JSON with
// its ports when it serves.
import { runProgram } from '../program-life.ts';
import { startProxy } from './running-proxy.ts';

await runProgram(process, async (config) => {
  const proxy = await startProxy(config);
  return {
    ready: { pid: process.pid, api: proxy.apiPort, proxies: proxy.listening },
    stop: proxy.stop,
  };
});
