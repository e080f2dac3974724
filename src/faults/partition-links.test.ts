import { describe, expect, it } from 'vitest';
import type { Link, StartedTarget } from '../targets/target.ts';
import { linksAcross } from './partition-links.ts';
import type { PartitionDirection, PartitionSide } from './partition-sides.ts';

const link = (path: Link['path'], node: string, peer: string): Link =>
  ({ path, node, peer, proxy: `${node}>${peer}` }) as unknown as Link;

const brokers = ['broker/1', 'broker/2', 'broker/3'];
const all = [
  ...brokers.flatMap((node) => brokers.map((peer) => link('internal', node, peer))),
  ...brokers.flatMap((node) => ['controller/1', 'controller/2'].map((peer) => link('controller', node, peer))),
];
const target = { can: { links: { all } } } as unknown as StartedTarget;
type Sides = [string[], PartitionDirection, PartitionSide];
const across = (...rest: Sides) => linksAcross(target, ...rest).links.map(({ proxy }) => proxy);

describe('the links of a partition', () => {
  it('lie between the sides, never within one and never from a node to itself', () => {
    expect(across(['broker/1'], 'both', 'brokers')).toEqual([
      'broker/1>broker/2',
      'broker/1>broker/3',
      'broker/2>broker/1',
      'broker/3>broker/1',
    ]);
    expect(across(['broker/1', 'broker/2'], 'both', 'brokers')).toEqual([
      'broker/1>broker/3',
      'broker/2>broker/3',
      'broker/3>broker/1',
      'broker/3>broker/2',
    ]);
  });

  it('go one way where only one is cut', () => {
    expect(across(['broker/1'], 'outgoing', 'brokers')).toEqual(['broker/1>broker/2', 'broker/1>broker/3']);
    expect(across(['broker/1'], 'incoming', 'brokers')).toEqual(['broker/2>broker/1', 'broker/3>broker/1']);
  });

  it('lead to controllers too where those are on the other side', () => {
    expect(across(['broker/3'], 'outgoing', 'everybody')).toEqual([
      'broker/3>broker/1',
      'broker/3>broker/2',
      'broker/3>controller/1',
      'broker/3>controller/2',
    ]);
    expect(across(['broker/3'], 'both', 'controllers')).toEqual(['broker/3>controller/1', 'broker/3>controller/2']);
  });

  it('are an error where nothing lies between', () => {
    expect(() => across(brokers, 'both', 'brokers')).toThrow(/No proxy lies between/);
  });

  it('are those between two nodes where both are named', () => {
    expect(across(['broker/1'], 'both', ['broker/3'])).toEqual(['broker/1>broker/3', 'broker/3>broker/1']);
    expect(across(['broker/2'], 'both', ['controller/2'])).toEqual(['broker/2>controller/2']);
    expect(across(['broker/2'], 'incoming', ['broker/1', 'broker/2'])).toEqual(['broker/1>broker/2']);
  });

  it('tell who is cut off as well, because the same proxy carries what it dials', () => {
    const shared = all.map((each) =>
      each.path === 'internal' ? each : { ...each, shared: [each.node.replace('broker', 'controller')] },
    );
    const machines = { can: { links: { all: shared } } } as unknown as StartedTarget;
    const cut = (...rest: Sides) => {
      const { links, alongside } = linksAcross(machines, ...rest);
      return { links: links.map(({ proxy }) => proxy), alongside };
    };
    expect(cut(['broker/1'], 'both', 'controllers')).toEqual({
      links: ['broker/1>controller/1', 'broker/1>controller/2'],
      alongside: ['controller/1'],
    });
    expect(cut(['controller/1'], 'both', 'controllers')).toEqual({
      links: ['broker/1>controller/2', 'broker/2>controller/1', 'broker/3>controller/1'],
      alongside: brokers,
    });
    expect(cut(['broker/1'], 'both', 'brokers').alongside).toEqual([]);
  });
});
