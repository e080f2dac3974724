import { describe, expect, it } from 'vitest';
import { edgesAcross, impossibleSides } from './partition-sides.ts';

const written = (...edges: Parameters<typeof edgesAcross>): readonly string[] =>
  edgesAcross(...edges).map(({ from, to }) => `${from}>${to}`);

describe('the connections between the sides of a partition', () => {
  it('are those that brokers dial to each other, one way or both', () => {
    expect(written(['broker/1'], ['broker/2'], 'both')).toEqual(['broker/1>broker/2', 'broker/2>broker/1']);
    expect(written(['broker/1'], ['broker/2'], 'outgoing')).toEqual(['broker/1>broker/2']);
    expect(written(['broker/1'], ['broker/2'], 'incoming')).toEqual(['broker/2>broker/1']);
  });

  it('are never dialled by a controller to a broker', () => {
    expect(written(['controller/1'], ['broker/2', 'controller/2'], 'both')).toEqual([
      'broker/2>controller/1',
      'controller/1>controller/2',
      'controller/2>controller/1',
    ]);
    expect(written(['broker/1'], ['controller/2'], 'both')).toEqual(['broker/1>controller/2']);
  });

  it('are none within a side', () => {
    const edges = written(['broker/1', 'broker/2'], ['broker/3'], 'both');
    expect(edges).toEqual(['broker/1>broker/3', 'broker/3>broker/1', 'broker/2>broker/3', 'broker/3>broker/2']);
  });
});

describe('sides that no target can cut', () => {
  it.each([
    { victim: { kind: 'broker', id: 2 }, direction: 'incoming', from: 'controllers', why: /nothing incoming/ },
    { victim: { kind: 'broker', id: 2 }, direction: 'incoming', from: ['controller/1'], why: /nothing incoming/ },
    { victim: { kind: 'controller' }, direction: 'outgoing', from: 'brokers', why: /nothing outgoing/ },
    { victim: { kind: 'controllers-minority' }, direction: 'outgoing', from: 'brokers', why: /nothing outgoing/ },
    { victim: { kind: 'node', node: 'controller/2' }, direction: 'outgoing', from: ['broker/1'], why: /outgoing/ },
    { victim: { kind: 'node', node: 'broker/1' }, direction: 'both', from: ['broker/1'], why: /off from itself/ },
    { victim: { kind: 'broker', id: 3 }, direction: 'both', from: ['broker/2', 'broker/3'], why: /off from itself/ },
    { victim: { kind: 'brokers-minority' }, direction: 'both', from: ['broker/2'], why: /name the victim/ },
    { victim: { kind: 'random', count: 1 }, direction: 'both', from: ['broker/2'], why: /name the victim/ },
  ] as const)('$direction from $from of $victim.kind', ({ victim, direction, from, why }) => {
    expect(impossibleSides(victim, direction, from)).toMatch(why);
  });

  it.each([
    { victim: { kind: 'controller' }, direction: 'outgoing', from: 'everybody' },
    { victim: { kind: 'controller' }, direction: 'incoming', from: 'brokers' },
    { victim: { kind: 'brokers-majority' }, direction: 'both', from: 'brokers' },
    { victim: { kind: 'broker', id: 1 }, direction: 'outgoing', from: ['controller/1', 'broker/2'] },
  ] as const)('and sides that can be cut: $direction from $from of $victim.kind', ({ victim, direction, from }) => {
    expect(impossibleSides(victim, direction, from)).toBeUndefined();
  });
});
