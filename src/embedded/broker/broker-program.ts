// Program: one broker of an embedded cluster. `node broker-program.js '<json>'`, see broker-config.ts. Prints
// `{"ready":true,"ports":{"client":N,"direct":N,"admin":N}}` once it is registered and serves.
import { systemClock } from '../../clock.ts';
import { type RunningProgram, runProgram } from '../program-life.ts';
import { createProgramLog } from '../program-log.ts';
import { Broker } from './broker.ts';
import { readBrokerConfig } from './broker-config.ts';

const start = async (value: unknown): Promise<RunningProgram> => {
  const config = readBrokerConfig(value);
  const log = createProgramLog(process.stderr);
  if (config.defects.length > 0) log.warn(`defects switched on: ${config.defects.join(', ')}`);
  const broker = new Broker(config, systemClock, log);
  const ports = await broker.start();
  log.info(`broker ${config.brokerId} ready`);
  return { ready: { ports }, stop: async () => await broker.stop() };
};

await runProgram(process, start);
