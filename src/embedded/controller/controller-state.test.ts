import { describe, expect, it } from 'vitest';
import { NO_LEADER, OFFSETS_TOPIC } from '../cluster-view.ts';
import {
  addTopic,
  assignUnowned,
  type ControllerState,
  emptyState,
  hasUnowned,
  raiseEpoch,
  registerBroker,
  reserveProducerIds,
  retireBrokers,
} from './controller-state.ts';

const endpoint = { host: '127.0.0.1', port: 1 };
const register = (state: ControllerState, brokerId: number, incarnation = `start-${brokerId}`): ControllerState =>
  registerBroker(state, { brokerId, incarnation, advertised: endpoint, direct: endpoint });

const threeBrokers = (): ControllerState =>
  assignUnowned([1, 2, 3].reduce((state, id) => register(state, id), emptyState('cluster', 100, 'offsets-id')));

const withTopic = (partitions: number): ControllerState =>
  assignUnowned(
    addTopic(threeBrokers(), { name: 'orders', topicId: 'orders-id', partitions, replicationFactor: 3, configs: {} }),
  );

const ownersOf = (state: ControllerState, name: string): readonly number[] =>
  state.topics.find((topic) => topic.name === name)?.partitions.map((partition) => partition.leader) ?? [];

const epochsOf = (state: ControllerState, name: string): readonly number[] =>
  state.topics.find((topic) => topic.name === name)?.partitions.map((partition) => partition.epoch) ?? [];

describe('the controller state', () => {
  it('spreads partitions evenly over the live brokers, each topic by itself', () => {
    const state = withTopic(6);
    expect(ownersOf(state, OFFSETS_TOPIC)).toEqual([1, 2, 3]);
    expect(ownersOf(state, 'orders').toSorted()).toEqual([1, 1, 2, 2, 3, 3]);
    expect(epochsOf(state, 'orders')).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('moves the partitions of a lapsed broker to the others, one epoch up, and leaves all others alone', () => {
    const before = withTopic(6);
    const after = assignUnowned(retireBrokers(before, new Set([1])));
    ownersOf(before, 'orders').forEach((owner, index) => {
      if (owner === 1) expect(ownersOf(after, 'orders')[index]).not.toBe(1);
      else expect(ownersOf(after, 'orders')[index]).toBe(owner);
      expect(epochsOf(after, 'orders')[index]).toBe(owner === 1 ? 2 : 1);
    });
    expect(ownersOf(after, 'orders').toSorted()).toEqual([2, 2, 2, 3, 3, 3]);
  });

  it('takes a new incarnation for a failover even if the old session has not lapsed', () => {
    const after = assignUnowned(register(withTopic(3), 2, 'again'));
    expect(epochsOf(after, 'orders').toSorted()).toEqual([1, 1, 2]);
    expect(hasUnowned(after)).toBe(false);
  });

  it('does nothing when a registered broker registers again', () => {
    const state = withTopic(3);
    expect(register(state, 2)).toBe(state);
  });

  it('does not take partitions from anybody when a broker returns', () => {
    const without = assignUnowned(retireBrokers(withTopic(6), new Set([3])));
    const back = assignUnowned(register(without, 3, 'again'));
    expect(ownersOf(back, 'orders')).toEqual(ownersOf(without, 'orders'));
    expect(epochsOf(back, 'orders')).toEqual(epochsOf(without, 'orders'));
  });

  it('leaves partitions without an owner while nobody lives, and keeps counting their epochs', () => {
    const dead = assignUnowned(retireBrokers(withTopic(2), new Set([1, 2, 3])));
    expect(ownersOf(dead, 'orders')).toEqual([NO_LEADER, NO_LEADER]);
    const back = assignUnowned(register(dead, 1, 'again'));
    expect(ownersOf(back, 'orders')).toEqual([1, 1]);
    expect(epochsOf(back, 'orders')).toEqual([2, 2]);
  });

  it('raises an epoch above what was found in the store, once', () => {
    const raised = raiseEpoch(withTopic(2), 'orders-id', 1, 7);
    expect(epochsOf(raised, 'orders')).toEqual([1, 8]);
    expect(raiseEpoch(raised, 'orders-id', 1, 7)).toBe(raised);
  });

  it('never gives a producer id twice and counts a version with every change', () => {
    const first = reserveProducerIds(threeBrokers(), 1000);
    const second = reserveProducerIds(first, 1000);
    expect(second.nextProducerId - first.nextProducerId).toBe(1000);
    expect(second.version).toBe(first.version + 1);
  });
});
