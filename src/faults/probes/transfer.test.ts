import { expect, it } from 'vitest';
import type { PassedBytes, ProbeResult } from './probe.ts';
import { type Exchange, transfer } from './transfer.ts';

const never = new AbortController().signal;
const answering =
  (passed: PassedBytes, asked: string[] = [], name = ''): Exchange =>
  async () => {
    asked.push(name);
    return await Promise.resolve({ class: 'ok', ms: 1, passed });
  };

it('asks in turn until enough has passed the ways that count', async () => {
  const asked: string[] = [];
  const exchanges = [
    answering({ upstream: 100, downstream: 1 }, asked, 'put'),
    answering({ upstream: 1, downstream: 50 }, asked, 'get'),
  ];
  const result = await transfer({ ways: ['downstream'], bytes: 102 }, exchanges, 1000, never);
  expect(asked).toEqual(['put', 'get', 'put', 'get']);
  expect(result).toMatchObject({ class: 'ok', bytes: 102 });
  expect(await transfer({ ways: ['upstream', 'downstream'], bytes: 101 }, exchanges, 1000, never)).toMatchObject({
    bytes: 101,
  });
});

it('ends as the first question does that is not answered', async () => {
  const ends: ProbeResult['class'][] = ['ok', 'reset'];
  const exchange: Exchange = async () =>
    await Promise.resolve({ class: ends.shift() ?? 'ok', ms: 1, passed: { upstream: 10, downstream: 0 } });
  expect(await transfer({ ways: ['upstream'], bytes: 100 }, [exchange], 1000, never)).toMatchObject({
    class: 'reset',
    bytes: 10,
  });
});

it('is late when its time is over, however often it was answered', async () => {
  const slow: Exchange = async () => {
    await new Promise((done) => setTimeout(done, 20));
    return { class: 'ok', ms: 20, passed: { upstream: 1, downstream: 1 } };
  };
  expect(await transfer({ ways: ['upstream'], bytes: 1000 }, [slow], 50, never)).toMatchObject({ class: 'timeout' });
});
