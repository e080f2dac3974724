import { expect, it, vi } from 'vitest';
import { holdPort } from './support/port-claim.ts';

/** Draws from where every process with this id begins. */
const freshPorts = async (): Promise<typeof import('../src/ports.ts')> => {
  vi.resetModules();
  return await import('../src/ports.ts');
};

// Red before: 1,000 claimed ports in a row, and there was none for a process that began to draw there.
it('ports are found beyond a crowd of claimed ones, wherever in the range it stands', async () => {
  const crowding = await freshPorts();
  const crowd: number[] = [];
  for (let count = 0; count < 1_500; count++) crowd.push(await crowding.claimPort());
  const { claimPort: claimBeside, releasePorts: releaseBeside } = await freshPorts();
  const next = await claimBeside();
  expect(crowd).not.toContain(next);
  expect(await holdPort(next)).toBeUndefined();
  releaseBeside([next]);
  crowding.releasePorts(crowd);
});
