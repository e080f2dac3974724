// The volume process: `node volume-program.js '{"directory": …, "host": …, "port": …}'`. What was not synced is in its memory only,
// so that kill -9 is the cut of power. Prints one line of JSON when it serves.
import { listenOn } from '../json-over-http.ts';
import { runProgram } from '../program-life.ts';
import { createProgramLog } from '../program-log.ts';
import { endpointIn, textIn } from '../read-json.ts';
import { FolderDisk } from './disk.ts';
import { createVolumeServer } from './volume-server.ts';
import { VolumeService } from './volume-service.ts';

await runProgram(process, async (config) => {
  const log = createProgramLog(process.stderr);
  const service = await VolumeService.open(await FolderDisk.open(textIn(config, 'directory')));
  const server = createVolumeServer(service, (text) => log.error(text));
  const port = await listenOn(server, endpointIn({ listen: config }, 'listen'));
  log.info(`serves as boot ${service.boot}`);
  return {
    ready: { pid: process.pid, port },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
});
