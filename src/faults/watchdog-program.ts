// The watchdog as a process of its own, in its own process group. Its standard input is a pipe from the run: when that ends
// without a word, the run has died, however that came about. Started with one argument, a WatchdogConfig as JSON.
import { createInterface } from 'node:readline';
import { describeError } from '../errors.ts';
import { type WatchdogConfig, WatchdogDuty, type WatchdogOrder } from './watchdog-duty.ts';

const EXPIRY_CHECK_MS = 500;

const main = async (config: WatchdogConfig): Promise<void> => {
  const duty = new WatchdogDuty(config);
  // The run may die while an answer is on its way; that is told by the input's end, not by a failed write.
  process.stdout.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const checking = setInterval(() => {
    duty.undoExpired().catch((thrown: unknown) => console.error(describeError(thrown)));
  }, EXPIRY_CHECK_MS);
  let isStopped = false;
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as WatchdogOrder;
    if (order.ask === 'ping') process.stdout.write(`${JSON.stringify(duty.answer(order.number))}\n`);
    else {
      isStopped = true;
      break;
    }
  }
  clearInterval(checking);
  const isClean = isStopped || (await duty.cleanUp());
  process.exit(isClean ? 0 : 1);
};

main(JSON.parse(process.argv[2] ?? '{}') as WatchdogConfig).catch((thrown: unknown) => {
  console.error(describeError(thrown));
  process.exit(1);
});
