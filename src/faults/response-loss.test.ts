import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget } from '../../test/faults/model-target.ts';
import { runOn } from '../../test/faults/run-on.ts';

let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

const lose = (params: Record<string, string>) => ({
  fault: 'response-loss',
  victim: { broker: 2 },
  duration: '1500ms',
  params,
});

describe('response-loss', () => {
  it.each([
    [{ how: 'hang' }, 'timeout'],
    [{ how: 'close' }, '(eof|reset)'],
    [{ how: 'hang', path: 's3-wal' }, 'timeout'],
    [{ how: 'close', path: 's3-data' }, '(eof|reset)'],
  ])('loses the answer and not the write: %o', async (params, ending) => {
    const { outcome, samples } = await runOn(target, lose(params));
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
    expect(proof?.seen).toMatch(new RegExp(`: ${ending} after .* took effect$`));
  });

  it('leaves no canary behind', async () => {
    const before = [...target.cluster.topics.keys()];
    await runOn(target, lose({}));
    expect([...target.cluster.topics.keys()]).toEqual(before);
  });
});
