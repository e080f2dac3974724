import { describe, expect, it } from 'vitest';
import { KAFKA } from '../../error-codes.ts';
import { Group } from './group.ts';
import type { JoinAnswer, JoinRequest, SyncAnswer } from './group-member.ts';

const range = { name: 'range', metadata: Buffer.from('topics') };

/** A group with a hand-driven clock; answers are collected as they come. */
class Bench {
  readonly group: Group;
  now = 0;
  private made = 0;

  constructor(initialDelayMs = 0) {
    this.group = new Group('g', { initialDelayMs, newMemberId: () => `m${++this.made}` });
  }

  join(memberId: string, changes: Partial<JoinRequest> = {}): JoinAnswer[] {
    const answers: JoinAnswer[] = [];
    const request: JoinRequest = {
      memberId,
      instanceId: null,
      clientId: 'client',
      clientHost: '127.0.0.1',
      sessionTimeoutMs: 1000,
      rebalanceTimeoutMs: 3000,
      protocolType: 'consumer',
      protocols: [range],
      mustKnowId: false,
      ...changes,
    };
    this.group.join(this.now, request, (answer) => answers.push(answer));
    return answers;
  }

  sync(memberId: string, generationId: number, assignments: Readonly<Record<string, string>> = {}): SyncAnswer[] {
    const answers: SyncAnswer[] = [];
    const list = Object.entries(assignments).map(([id, text]) => ({ memberId: id, assignment: Buffer.from(text) }));
    const named = { protocolType: null, protocolName: null, instanceId: null };
    this.group.sync(this.now, { memberId, generationId, assignments: list, ...named }, (answer) =>
      answers.push(answer),
    );
    return answers;
  }

  beat(memberId: string, generationId: number): number {
    return this.group.heartbeat(this.now, memberId, null, generationId);
  }

  forward(ms: number): void {
    for (let step = 0; step < ms; step += 25) {
      this.now += 25;
      this.group.tick(this.now);
    }
  }

  /** Two members, stable: m1 leads. */
  static pair(): { readonly bench: Bench; readonly generation: number } {
    const bench = new Bench(100);
    bench.join('');
    bench.join('');
    bench.forward(100);
    const generation = 1;
    bench.sync('m2', generation);
    bench.sync('m1', generation, { m1: 'a', m2: 'b' });
    expect(bench.group.phase).toBe('stable');
    return { bench, generation };
  }
}

describe('joining', () => {
  it('makes the only member the leader of generation 1 and shows it the members', () => {
    const [answer] = new Bench().join('');
    expect(answer).toMatchObject({ code: KAFKA.NONE, memberId: 'm1', leaderId: 'm1', generationId: 1 });
    expect(answer?.members.map((member) => member.memberId)).toEqual(['m1']);
  });

  it('gives the first member a moment, so that two that start together share one generation', () => {
    const bench = new Bench(100);
    const first = bench.join('');
    bench.forward(50);
    const second = bench.join('');
    expect(first).toHaveLength(0);
    bench.forward(50);
    expect([first[0]?.generationId, second[0]?.generationId]).toEqual([1, 1]);
    expect(first[0]?.members).toHaveLength(2);
    expect(second[0]?.members).toHaveLength(0);
  });

  it('tells a newcomer its id first where the version asks for it, and forgets one that does not come back', () => {
    const bench = new Bench();
    const [told] = bench.join('', { mustKnowId: true });
    expect(told).toMatchObject({ code: KAFKA.MEMBER_ID_REQUIRED, memberId: 'm1' });
    bench.forward(1025);
    expect(bench.join('m1', { mustKnowId: true })[0]?.code).toBe(KAFKA.UNKNOWN_MEMBER_ID);
    bench.join('', { mustKnowId: true });
    expect(bench.join('m2', { mustKnowId: true })[0]).toMatchObject({ code: KAFKA.NONE, memberId: 'm2' });
  });

  it('refuses an id nobody gave out', () => {
    expect(new Bench().join('stranger')[0]?.code).toBe(KAFKA.UNKNOWN_MEMBER_ID);
  });

  it('refuses a member that has no protocol in common with the others', () => {
    const bench = new Bench(100);
    bench.join('');
    const [answer] = bench.join('', { protocols: [{ name: 'sticky', metadata: Buffer.alloc(0) }] });
    expect(answer?.code).toBe(KAFKA.INCONSISTENT_GROUP_PROTOCOL);
    expect(bench.join('', { protocolType: 'connect' })[0]?.code).toBe(KAFKA.INCONSISTENT_GROUP_PROTOCOL);
  });

  it('takes the protocol that all can do and most like best', () => {
    const bench = new Bench(100);
    const sticky = { name: 'sticky', metadata: Buffer.alloc(0) };
    const answers = bench.join('', { protocols: [sticky, range] });
    bench.join('', { protocols: [range, sticky] });
    bench.join('', { protocols: [range] });
    bench.forward(100);
    expect(answers[0]?.protocolName).toBe('range');
  });

  it('does not wait for ever for a member that does not come back', () => {
    const { bench } = Bench.pair();
    const first = bench.join('m1', { protocols: [{ name: 'range', metadata: Buffer.from('other') }] });
    expect(first).toHaveLength(0);
    bench.forward(1100);
    expect(first[0]?.generationId).toBe(2);
    expect(bench.group.members.map((member) => member.id)).toEqual(['m1']);
  });

  it('gives a follower that asks again the same answer, without disturbing the others', () => {
    const { bench, generation } = Bench.pair();
    expect(bench.join('m2')[0]).toMatchObject({ code: KAFKA.NONE, generationId: generation });
    expect(bench.group.phase).toBe('stable');
  });

  it('lets a static member that restarts take over its own place and fences the old process', () => {
    const bench = new Bench();
    bench.join('', { instanceId: 'one' });
    const [again] = bench.join('', { instanceId: 'one' });
    expect(again).toMatchObject({ code: KAFKA.NONE, memberId: 'm2' });
    expect(bench.group.heartbeat(bench.now, 'm1', 'one', 1)).toBe(KAFKA.FENCED_INSTANCE_ID);
    expect(bench.group.members).toHaveLength(1);
  });
});

describe('syncing', () => {
  it('holds followers until the leader has assigned, and gives each its own part', () => {
    const bench = new Bench(100);
    bench.join('');
    bench.join('');
    bench.forward(100);
    const follower = bench.sync('m2', 1);
    expect(follower).toHaveLength(0);
    const leader = bench.sync('m1', 1, { m1: 'a', m2: 'b' });
    expect([leader[0]?.assignment.toString(), follower[0]?.assignment.toString()]).toEqual(['a', 'b']);
  });

  it('refuses another generation and sends members back while the group is joining', () => {
    const { bench, generation } = Bench.pair();
    expect(bench.sync('m1', generation + 1)[0]?.code).toBe(KAFKA.ILLEGAL_GENERATION);
    bench.join('');
    expect(bench.sync('m2', generation)[0]?.code).toBe(KAFKA.REBALANCE_IN_PROGRESS);
    expect(bench.beat('m2', generation)).toBe(KAFKA.REBALANCE_IN_PROGRESS);
  });

  it('starts over without a leader that joined and then never assigned', () => {
    const bench = new Bench(100);
    bench.join('', { sessionTimeoutMs: 500 });
    bench.join('', { sessionTimeoutMs: 500 });
    bench.forward(100);
    const follower = bench.sync('m2', 1);
    bench.forward(600);
    expect(follower[0]?.code).toBe(KAFKA.REBALANCE_IN_PROGRESS);
    expect(bench.join('m2')[0]).toMatchObject({ code: KAFKA.NONE, leaderId: 'm2', generationId: 2 });
  });
});

describe('leaving and falling silent', () => {
  it('makes the others join again when a member leaves', () => {
    const { bench, generation } = Bench.pair();
    expect(bench.group.leave(bench.now, 'm1', null)).toBe(KAFKA.NONE);
    expect(bench.beat('m2', generation)).toBe(KAFKA.REBALANCE_IN_PROGRESS);
    expect(bench.join('m2')[0]).toMatchObject({ leaderId: 'm2', generationId: 2 });
  });

  it('drops a member that is silent for its session, and not one that is heard', () => {
    const { bench, generation } = Bench.pair();
    for (let step = 0; step < 11; step++) {
      bench.forward(100);
      bench.beat('m2', generation);
    }
    expect(bench.group.members.map((member) => member.id)).toEqual(['m2']);
  });

  it('is empty when the last member has gone, and its old coordinates are worth nothing', () => {
    const { bench, generation } = Bench.pair();
    bench.group.leave(bench.now, 'm1', null);
    bench.group.leave(bench.now, 'm2', null);
    expect(bench.group.phase).toBe('empty');
    expect(bench.beat('m1', generation)).toBe(KAFKA.UNKNOWN_MEMBER_ID);
  });

  it('sends whoever waits to the new coordinator when the group is abandoned', () => {
    const bench = new Bench(100);
    const waiting = bench.join('');
    bench.group.abandon();
    expect(waiting[0]?.code).toBe(KAFKA.NOT_COORDINATOR);
  });
});

describe('committing', () => {
  it('is for current members of the current generation', () => {
    const { bench, generation } = Bench.pair();
    expect(bench.group.mayCommit('m1', null, generation)).toBe(KAFKA.NONE);
    expect(bench.group.mayCommit('m1', null, generation - 1)).toBe(KAFKA.ILLEGAL_GENERATION);
    expect(bench.group.mayCommit('stranger', null, generation)).toBe(KAFKA.UNKNOWN_MEMBER_ID);
  });

  it('is for anybody without a group only while the group is empty', () => {
    expect(new Bench().group.mayCommit('', null, -1)).toBe(KAFKA.NONE);
    expect(Bench.pair().bench.group.mayCommit('', null, -1)).toBe(KAFKA.UNKNOWN_MEMBER_ID);
  });
});
