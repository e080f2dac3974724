// One consumer group of the classic protocol, as a state machine. It reads no clock and sets no timer: every call is told the
// time, and `tick` must be called every few dozen milliseconds. Committed offsets are not its affair.
//
//   empty ── join ──▷ joining ── all are back, or time is up ──▷ syncing ── the leader assigned ──▷ stable
//               ▲                                                  │                               │
//               └──────────── a member joins anew, leaves, or is not heard of any more ────────────┘
import { KAFKA } from '../../error-codes.ts';
import { joinRefused, NO_ASSIGNMENT, syncRefused } from './group-answers.ts';
import {
  electProtocol,
  type GroupMember,
  type JoinAnswer,
  type JoinRequest,
  type SyncAnswer,
  type SyncRequest,
  sameProtocols,
} from './group-member.ts';
import { GroupRoster } from './group-roster.ts';

export type GroupPhase = 'empty' | 'joining' | 'syncing' | 'stable';

export interface GroupSettings {
  /** How long the first member of an empty group waits for others. */
  readonly initialDelayMs: number;
  /** A new member id for a client. */
  readonly newMemberId: (clientId: string) => string;
}

export class Group {
  readonly id: string;
  private readonly settings: GroupSettings;
  private readonly roster = new GroupRoster();
  private currentPhase: GroupPhase = 'empty';
  private generation = 0;
  private type: string | null = null;
  private protocol: string | null = null;
  private leader = '';
  /** When joining ends even if members are missing. */
  private joinUntil = 0;
  /** Before this, joining goes on even if everybody is back. */
  private joinNotBefore = 0;
  private syncUntil = 0;

  constructor(id: string, settings: GroupSettings) {
    this.id = id;
    this.settings = settings;
  }

  get phase(): GroupPhase {
    return this.currentPhase;
  }

  get protocolType(): string | null {
    return this.type;
  }

  get protocolName(): string | null {
    return this.protocol;
  }

  get members(): readonly Readonly<GroupMember>[] {
    return this.roster.all();
  }

  /** `answer` is called once: at once, or when the group has come together. */
  join(now: number, request: JoinRequest, answer: (answer: JoinAnswer) => void): void {
    const code = this.roster.refusalOfJoin(request, this.type);
    if (code !== KAFKA.NONE) {
      answer(joinRefused(code, request.memberId));
      return;
    }
    const member = this.roster.get(request.memberId);
    if (member !== undefined) this.joinAgain(now, member, request, answer);
    else if (request.memberId !== '') this.admit(now, request, request.memberId, answer);
    else this.joinFirst(now, request, answer);
  }

  /** `answer` is called once: at once, or when the leader has assigned. */
  sync(now: number, request: SyncRequest, answer: (answer: SyncAnswer) => void): void {
    const code = this.refusalOfSync(request);
    const member = this.roster.get(request.memberId);
    if (code !== KAFKA.NONE || member === undefined) {
      answer(syncRefused(code === KAFKA.NONE ? KAFKA.UNKNOWN_MEMBER_ID : code));
      return;
    }
    member.seenAt = now;
    if (this.currentPhase === 'stable') {
      answer(this.assignmentOf(member));
      return;
    }
    member.answerSync = answer;
    if (member.id === this.leader) this.assign(request, now);
  }

  /** Kafka's code for a heartbeat. */
  heartbeat(now: number, memberId: string, instanceId: string | null, generationId: number): number {
    const code = this.refusalOf(memberId, instanceId, generationId);
    if (code !== KAFKA.NONE) return code;
    this.touch(now, memberId);
    return this.currentPhase === 'joining' ? KAFKA.REBALANCE_IN_PROGRESS : KAFKA.NONE;
  }

  /** Kafka's code for a member that leaves; a static member may be named by its instance alone. */
  leave(now: number, memberId: string, instanceId: string | null): number {
    if (this.roster.forgetPromise(memberId)) return KAFKA.NONE;
    const byInstance = this.roster.ofInstance(instanceId);
    const member = memberId === '' ? byInstance : this.roster.get(memberId);
    if (member === undefined) return KAFKA.UNKNOWN_MEMBER_ID;
    if (instanceId !== null && byInstance !== member) return KAFKA.FENCED_INSTANCE_ID;
    this.roster.remove(member, KAFKA.UNKNOWN_MEMBER_ID);
    this.afterLoss(now);
    return KAFKA.NONE;
  }

  /** Kafka's code for whether these coordinates may commit offsets now. */
  mayCommit(memberId: string, instanceId: string | null, generationId: number): number {
    if (generationId < 0 && memberId === '') {
      return this.currentPhase === 'empty' ? KAFKA.NONE : KAFKA.UNKNOWN_MEMBER_ID;
    }
    const code = this.refusalOf(memberId, instanceId, generationId);
    if (code !== KAFKA.NONE) return code;
    return this.currentPhase === 'syncing' ? KAFKA.REBALANCE_IN_PROGRESS : KAFKA.NONE;
  }

  /** A sign of life other than a heartbeat. */
  touch(now: number, memberId: string): void {
    const member = this.roster.get(memberId);
    if (member !== undefined) member.seenAt = now;
  }

  /** Lets time pass: ends phases that are due and drops members that are not heard of any more. */
  tick(now: number): void {
    this.roster.forgetStalePromises(now);
    this.drop(now, this.roster.silent(now));
    if (this.currentPhase === 'joining') this.endJoiningIfDue(now);
    if (this.currentPhase === 'syncing' && now >= this.syncUntil) {
      this.drop(
        now,
        this.roster.all().filter((member) => member.answerSync === undefined),
      );
    }
  }

  /** The coordinator is somebody else now: whoever waits is told so. */
  abandon(): void {
    for (const member of this.roster.all()) this.roster.remove(member, KAFKA.NOT_COORDINATOR);
    this.currentPhase = 'empty';
  }

  private refusalOf(memberId: string, instanceId: string | null, generationId: number): number {
    const code = this.roster.refusalOf(memberId, instanceId);
    if (code !== KAFKA.NONE) return code;
    return generationId === this.generation ? KAFKA.NONE : KAFKA.ILLEGAL_GENERATION;
  }

  private refusalOfSync(request: SyncRequest): number {
    const code = this.refusalOf(request.memberId, request.instanceId, request.generationId);
    if (code !== KAFKA.NONE) return code;
    if (this.currentPhase === 'joining') return KAFKA.REBALANCE_IN_PROGRESS;
    const isOther = (given: string | null, ours: string | null): boolean => given !== null && given !== ours;
    if (isOther(request.protocolType, this.type) || isOther(request.protocolName, this.protocol)) {
      return KAFKA.INCONSISTENT_GROUP_PROTOCOL;
    }
    return KAFKA.NONE;
  }

  private joinFirst(now: number, request: JoinRequest, answer: (answer: JoinAnswer) => void): void {
    const memberId = this.settings.newMemberId(request.clientId);
    const predecessor = this.roster.ofInstance(request.instanceId);
    if (request.mustKnowId && request.instanceId === null) {
      this.roster.promise(memberId, now + request.sessionTimeoutMs);
      answer(joinRefused(KAFKA.MEMBER_ID_REQUIRED, memberId));
      return;
    }
    // A static member that was restarted: the new process takes the old one's place.
    if (predecessor !== undefined) this.roster.remove(predecessor, KAFKA.FENCED_INSTANCE_ID);
    this.admit(now, request, memberId, answer);
  }

  private admit(now: number, request: JoinRequest, memberId: string, answer: (answer: JoinAnswer) => void): void {
    this.roster.admit(now, request, memberId, answer);
    this.type = request.protocolType;
    this.beginJoining(now);
  }

  private joinAgain(
    now: number,
    member: GroupMember,
    request: JoinRequest,
    answer: (answer: JoinAnswer) => void,
  ): void {
    const isSame = sameProtocols(member.protocols, request.protocols);
    const { sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request;
    Object.assign(member, { sessionTimeoutMs, rebalanceTimeoutMs, protocols, seenAt: now });
    // Somebody who lost the answer and asks again, changing nothing, gets the same answer.
    const isRepeat = this.currentPhase === 'syncing' || (this.currentPhase === 'stable' && member.id !== this.leader);
    if (isSame && isRepeat) {
      answer(this.joined(member));
      return;
    }
    member.answerJoin?.(joinRefused(KAFKA.UNKNOWN_MEMBER_ID, member.id));
    member.answerJoin = answer;
    this.beginJoining(now);
  }

  private drop(now: number, members: readonly GroupMember[]): void {
    for (const member of members) this.roster.remove(member, KAFKA.UNKNOWN_MEMBER_ID);
    if (members.length > 0) this.afterLoss(now);
  }

  private afterLoss(now: number): void {
    if (this.roster.size === 0) this.becomeEmpty();
    else this.beginJoining(now);
  }

  private becomeEmpty(): void {
    if (this.currentPhase !== 'empty') this.generation += 1;
    this.currentPhase = 'empty';
    this.leader = '';
    this.protocol = null;
  }

  private beginJoining(now: number): void {
    if (this.currentPhase !== 'joining') {
      this.joinNotBefore = this.currentPhase === 'empty' ? now + this.settings.initialDelayMs : now;
      for (const member of this.roster.all()) this.sendBack(now, member);
      this.currentPhase = 'joining';
      this.joinUntil = now + this.roster.longestRebalanceMs();
    }
    this.endJoiningIfDue(now);
  }

  /** Ends a member's wait for an assignment; it was there all the time, so its session begins anew. */
  private sendBack(now: number, member: GroupMember): void {
    const { answerSync } = member;
    if (answerSync === undefined) return;
    member.answerSync = undefined;
    member.seenAt = now;
    answerSync(syncRefused(KAFKA.REBALANCE_IN_PROGRESS));
  }

  private endJoiningIfDue(now: number): void {
    const missing = this.roster.all().filter((member) => member.answerJoin === undefined);
    const isComplete = missing.length === 0 && !this.roster.isAwaitingNewcomers && now >= this.joinNotBefore;
    if (!isComplete && now < this.joinUntil) return;
    for (const member of missing) this.roster.remove(member, KAFKA.UNKNOWN_MEMBER_ID);
    if (this.roster.size === 0) this.becomeEmpty();
    else this.endJoining(now);
  }

  private endJoining(now: number): void {
    const members = this.roster.all();
    this.generation += 1;
    this.protocol = electProtocol(members) ?? null;
    if (this.roster.get(this.leader) === undefined) this.leader = members[0]?.id ?? '';
    this.currentPhase = 'syncing';
    this.syncUntil = now + this.roster.longestRebalanceMs();
    for (const member of members) {
      member.seenAt = now;
      member.assignment = NO_ASSIGNMENT;
      const { answerJoin } = member;
      member.answerJoin = undefined;
      answerJoin?.(this.joined(member));
    }
  }

  private joined(member: GroupMember): JoinAnswer {
    const metadataOf = (each: GroupMember): Buffer =>
      each.protocols.find((protocol) => protocol.name === this.protocol)?.metadata ?? NO_ASSIGNMENT;
    const everybody = this.roster.all().map((each) => ({
      memberId: each.id,
      instanceId: each.instanceId,
      metadata: metadataOf(each),
    }));
    return {
      code: KAFKA.NONE,
      memberId: member.id,
      generationId: this.generation,
      protocolType: this.type,
      protocolName: this.protocol,
      leaderId: this.leader,
      members: member.id === this.leader ? everybody : [],
    };
  }

  private assignmentOf(member: GroupMember): SyncAnswer {
    const { assignment } = member;
    return { code: KAFKA.NONE, protocolType: this.type, protocolName: this.protocol, assignment };
  }

  private assign(request: SyncRequest, now: number): void {
    const given = new Map(request.assignments.map((entry) => [entry.memberId, entry.assignment]));
    this.currentPhase = 'stable';
    for (const member of this.roster.all()) {
      member.assignment = Buffer.from(given.get(member.id) ?? NO_ASSIGNMENT);
      member.seenAt = now;
      const { answerSync } = member;
      member.answerSync = undefined;
      answerSync?.(this.assignmentOf(member));
    }
  }
}
