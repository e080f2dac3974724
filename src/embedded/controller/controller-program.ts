// Program: the controller of an embedded cluster. `node controller-program.js '<json>'`, see controller-config.ts. Prints
// `{"ready":true,"ports":{"controller":N}}` once it has its state back and listens.
import { systemClock } from '../../clock.ts';
import { freshId } from '../fresh-id.ts';
import { startJsonServer } from '../json-over-http.ts';
import { type RunningProgram, runProgram } from '../program-life.ts';
import { createProgramLog } from '../program-log.ts';
import { S3Client } from '../s3-client/s3-client.ts';
import { Controller } from './controller.ts';
import { readControllerConfig } from './controller-config.ts';
import { controllerRoutes } from './controller-server.ts';
import { emptyState } from './controller-state.ts';
import { StateStore } from './state-store.ts';

const STATE_KEY = 'controller/state';
const STORE_CALL_MS = 1000;

const start = async (value: unknown): Promise<RunningProgram> => {
  const config = readControllerConfig(value);
  const log = createProgramLog(process.stderr);
  const store = new S3Client({
    endpoint: config.store,
    bucket: config.bucket,
    clientName: `controller/${config.controllerId}`,
    timeoutMs: STORE_CALL_MS,
    maxSockets: 4,
  });
  const empty = emptyState(config.clusterId, config.controllerId, freshId());
  const states = new StateStore({ store, key: STATE_KEY, clock: systemClock, log, empty });
  const controller = await Controller.start({ ...config, states, clock: systemClock, log }, config.startTimeoutMs);
  const server = await startJsonServer(config, controllerRoutes(controller));
  log.info(`controller ${config.controllerId} ready, state version ${controller.view.version}`);
  return {
    ready: { ports: { controller: server.port } },
    stop: async () => {
      controller.stop();
      await server.close();
      log.info('stopped');
    },
  };
};

await runProgram(process, start);
