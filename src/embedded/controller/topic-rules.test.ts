import { describe, expect, it } from 'vitest';
import { KAFKA } from '../error-codes.ts';
import { type ControllerState, emptyState, registerBroker } from './controller-state.ts';
import { checkDeletable, type TopicWish, topicFor } from './topic-rules.ts';

const endpoint = { host: '127.0.0.1', port: 1 };
const state = [1, 2, 3].reduce(
  (before: ControllerState, brokerId) =>
    registerBroker(before, { brokerId, incarnation: 'i', advertised: endpoint, direct: endpoint }),
  emptyState('c', 1, 'offsets'),
);
const wish: TopicWish = { name: 'orders', partitions: 6, replicationFactor: 3, configs: {} };

const codeOf = (run: () => unknown): number => {
  try {
    run();
    return KAFKA.NONE;
  } catch (thrown) {
    return (thrown as { readonly code: number }).code;
  }
};

describe('a new topic', () => {
  it.each([
    ['a slash in its name', { name: 'a/b' }, KAFKA.INVALID_TOPIC_EXCEPTION],
    ['the name ..', { name: '..' }, KAFKA.INVALID_TOPIC_EXCEPTION],
    ['no name', { name: '' }, KAFKA.INVALID_TOPIC_EXCEPTION],
    ['a name of 250 characters', { name: 'x'.repeat(250) }, KAFKA.INVALID_TOPIC_EXCEPTION],
    ['the name of the offsets topic', { name: '__consumer_offsets' }, KAFKA.TOPIC_ALREADY_EXISTS],
    ['no partitions', { partitions: 0 }, KAFKA.INVALID_PARTITIONS],
    ['too many partitions', { partitions: 1001 }, KAFKA.INVALID_PARTITIONS],
    ['more replicas than there are brokers', { replicationFactor: 4 }, KAFKA.INVALID_REPLICATION_FACTOR],
    ['no replicas', { replicationFactor: 0 }, KAFKA.INVALID_REPLICATION_FACTOR],
    ['a setting nobody knows', { configs: { 'no.such.thing': '1' } }, KAFKA.INVALID_CONFIG],
    ['a policy that is not honoured', { configs: { 'cleanup.policy': 'compact' } }, KAFKA.INVALID_CONFIG],
    ['unclean elections', { configs: { 'unclean.leader.election.enable': 'true' } }, KAFKA.INVALID_CONFIG],
    ['a word for a number', { configs: { 'retention.ms': 'long' } }, KAFKA.INVALID_CONFIG],
    ['a minimum of zero replicas', { configs: { 'min.insync.replicas': '0' } }, KAFKA.INVALID_CONFIG],
  ])('is refused with %s', (_, change, code) => {
    expect(codeOf(() => topicFor(state, { ...wish, ...change }, 'id'))).toBe(code);
  });

  it('has the defaults where −1 asks for them', () => {
    const asked = { ...wish, partitions: -1, replicationFactor: -1 };
    expect(topicFor(state, asked, 'id')).toMatchObject({ partitions: 1, replicationFactor: 3 });
  });
});

describe('deleting', () => {
  it('is for topics that are there and belong to users', () => {
    expect(codeOf(() => checkDeletable(state, 'nowhere'))).toBe(KAFKA.UNKNOWN_TOPIC_OR_PARTITION);
    expect(codeOf(() => checkDeletable(state, '__consumer_offsets'))).toBe(KAFKA.INVALID_TOPIC_EXCEPTION);
  });
});
