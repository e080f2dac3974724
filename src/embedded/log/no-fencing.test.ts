// The defect no-fencing, by itself: what it does to an owner that has a successor is in test/log-model.
import { expect, it } from 'vitest';
import { DirectPartition } from '../../../test/log-model/direct-log.ts';

// Red before: what was in flight was neither written again nor answered, and the defect bit only now and then.
it('does not end what was accepted with the defect no-fencing', async () => {
  const partition = new DirectPartition();
  const log = await partition.own(1, { defects: ['no-fencing'] });
  partition.store.isAwayFor = (request) => request.startsWith('put ');
  const accepted = Promise.all([partition.append(log), partition.append(log)]);
  await partition.settle();
  log.resign();
  partition.store.isAwayFor = () => false;
  await partition.tick();
  await partition.tick();
  expect(await accepted).toMatchObject([
    { outcome: 'stored', baseOffset: 0 },
    { outcome: 'stored', baseOffset: 1 },
  ]);
});
