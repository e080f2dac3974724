import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

const lose = (params: Record<string, string>) => ({
  fault: 'response-loss',
  victim: { broker: 2 },
  params,
});

describe.concurrent('response-loss', () => {
  modelTest.for([
    { params: { how: 'hang' }, ending: 'timeout' },
    { params: { how: 'close' }, ending: '(eof|reset)' },
    { params: { how: 'hang', path: 's3-wal' }, ending: 'timeout' },
    { params: { how: 'close', path: 's3-data' }, ending: '(eof|reset)' },
  ])('loses the answer and not the write: $params', async ({ params, ending }, { target }) => {
    const { outcome, samples } = await runUntil(target, lose(params));
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
    expect(proof?.seen).toMatch(new RegExp(`: ${ending} after .* took effect$`));
  });

  modelTest('leaves no canary behind', async ({ target }) => {
    const before = [...target.cluster.topics.keys()];
    await runUntil(target, lose({}));
    expect([...target.cluster.topics.keys()]).toEqual(before);
  });
});
