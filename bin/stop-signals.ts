// What Ctrl-C and its like do to drills that are under way: asked once they stop and heal, twice they skip the replay, and the
// third time the program leaves while its watchdog heals.
import { writeErr } from './terminal.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** A terminal sends one signal to a whole group, and it may come twice. */
const SAME_MS = 200;

const SAID = {
  1: 'Stopping: healing now; the records so far are still read back. Again = skip the replay.',
  2: 'Skipping the replay; healing is finished first. Again = leave now.',
  3: 'Leaving at once. The watchdog heals what is left; look with: ackproof status. By hand: ackproof heal --all',
} as const;

/** Passes stop signals to `request`, which says how many there have been; the returned function takes the handlers away. */
export const onStopSignals = (request: (signal: StopSignal) => 1 | 2 | 3): (() => void) => {
  let lastAt = -1000;
  const handler = (signal: StopSignal) => (): void => {
    const now = performance.now();
    if (now - lastAt < SAME_MS) return;
    lastAt = now;
    const times = request(signal);
    writeErr(SAID[times]);
    if (times === 3) process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  const onInt = handler('SIGINT');
  const onTerm = handler('SIGTERM');
  const handlers = [
    ['SIGINT', onInt],
    ['SIGTERM', onTerm],
    ['SIGHUP', onTerm],
  ] as const;
  for (const [name, each] of handlers) process.on(name, each);
  return () => {
    for (const [name, each] of handlers) process.off(name, each);
  };
};
