import { expect, test } from 'vitest';
import { type FaultSpec, faultSchema } from '../faults/fault-schema.ts';
import { type TargetSpec, targetSpecSchema } from '../targets/target-spec.ts';
import { sideProblems } from './partition-checks.ts';

const partition = (victim: unknown, from: unknown = 'everybody'): FaultSpec =>
  faultSchema.parse({
    fault: 'network-partition',
    victim,
    at: '1s',
    duration: '2s',
    params: { from },
    allow: ['quorum-loss'],
  });
const processes = (brokers: number, controllers: number): TargetSpec =>
  targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process', brokers, controllers });
const codes = (fault: FaultSpec, target: TargetSpec): readonly string[] =>
  sideProblems(fault, target).map(({ code, path }) => `${code} ${path.join('.')}`);

test.each([{ brokers: 'minority' }, { brokers: 'majority' }])('a share of two brokers is none: %o', (victim) => {
  expect(codes(partition(victim), processes(2, 3))).toEqual(['TOO_FEW_BROKERS victim']);
  expect(codes(partition(victim), processes(3, 1))).toEqual([]);
});

test.each([{ controllers: 'minority' }, { controllers: 'majority' }])('nor of one controller: %o', (victim) => {
  expect(codes(partition(victim), processes(3, 1))).toEqual(['TOO_FEW_CONTROLLERS victim']);
  expect(codes(partition(victim), processes(1, 3))).toEqual([]);
});

test('a node that is not there is told by its place', () => {
  const fault = partition({ node: 'controller/4' }, ['broker/3', 'broker/4', 'controller/0']);
  expect(codes(fault, processes(3, 3))).toEqual([
    'UNKNOWN_NODE victim.node',
    'UNKNOWN_NODE params.from.1',
    'UNKNOWN_NODE params.from.2',
  ]);
  expect(sideProblems(fault, processes(3, 3))[0]?.message).toBe(
    'There is no controller/4; the target has 3 brokers and 3 controllers, each counted from 1.',
  );
});

test('of a project in Docker nobody knows yet', () => {
  const compose = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'compose' });
  expect(codes(partition({ node: 'broker/9' }), compose)).toEqual([]);
});
