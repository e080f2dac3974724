import { describe, expect, it } from 'vitest';
import { loggedAt, patternsFor } from './log-patterns.ts';

/** As Apache Kafka 4.1.2 wrote them. */
const LINES: readonly (readonly [string, string])[] = [
  [
    'broker-fenced',
    '[2026-11-30T11:15:36,732] INFO [QuorumController id=103] Fencing broker 2 at epoch 4 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)',
  ],
  [
    'broker-recovered',
    '[2026-11-30T11:15:49,907] INFO [BrokerLifecycleManager id=2] The broker has been unfenced. Transitioning from RECOVERY to RUNNING. (kafka.server.BrokerLifecycleManager)',
  ],
  [
    'broker-unfenced',
    '[2026-11-30T11:15:49,851] INFO [QuorumController id=103] The request from broker 2 to unfence has been granted because it has caught up with the offset of its register broker record 180. (org.apache.kafka.controller.BrokerHeartbeatManager)',
  ],
  ['in-sync-shrunk', 'INFO [Partition orders-0 broker=3] Shrinking ISR from 1,2,3 to 1,3. Leader: (highWatermark: 4'],
  [
    'leader-epoch-begun',
    'INFO [Broker id=3] Leader orders-0 with topic id Some(0vu) starts at leader epoch 1 from offset 880 with partition epoch 1',
  ],
  ['quorum-transition', 'INFO [RaftManager id=103] Completed transition to CandidateState(localId=103, epoch=1'],
  ['segment-recovered', 'INFO [LogLoader partition=orders-0, dir=/data] Recovering unflushed segment 0. 1 recovered'],
];

describe('the log patterns of Apache Kafka', () => {
  it.each(LINES)('know %s', (kind, line) => {
    const found = patternsFor('apache-kafka', '4.1.2').filter(({ text }) => text.test(line));
    expect(found.map((pattern) => pattern.kind)).toEqual([kind]);
  });

  it('are sorted, and each has one name', () => {
    const kinds = patternsFor('apache-kafka', undefined).map(({ kind }) => kind);
    expect(kinds).toEqual([...new Set(kinds)].sort());
  });

  it('are none for versions and products whose words are not known', () => {
    expect(patternsFor('apache-kafka', '3.6.0')).toEqual([]);
    expect(patternsFor('other', undefined)).toEqual([]);
  });
});

describe('the time of a line', () => {
  it('is what the node wrote', () => {
    expect(loggedAt('[2026-11-30T11:15:36,732] INFO x')).toBe('2026-11-30T11:15:36,732');
    expect(loggedAt('[2026-11-30 11:15:36,732] INFO x')).toBe('2026-11-30 11:15:36,732');
    expect(loggedAt('\tunclean.leader.election.enable = false')).toBeUndefined();
  });
});
