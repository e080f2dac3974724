// The object store as a program: `node object-store-program.js '<json>'`, settings in store-config.ts. Prints one line of JSON
// with its ports when it serves.

import { runProgram } from '../program-life.ts';
import { createProgramLog } from '../program-log.ts';
import { startStore } from './running-store.ts';
import { parseStoreConfig } from './store-config.ts';

await runProgram(process, async (config) => {
  const log = createProgramLog(process.stderr);
  const store = await startStore(parseStoreConfig(config), (text) => log.error(text));
  return {
    ready: { pid: process.pid, listeners: store.listeners, admin: store.adminPort, objects: store.objectCount },
    stop: store.stop,
  };
});
