// One consumer group of the classic protocol, as a state machine. It reads no clock and sets no timer: every call is told the
// time, and `tick` must be called every few dozen milliseconds. Committed offsets are not its affair.
//
//   empty ── join ──▷ joining ── all are back, or time is up ──▷ syncing ── the leader assigned ──▷ stable
//               ▲                                                  │                               │
//               └──────────── a member joins anew, leaves, or is not heard of any more ────────────┘
import { KAFKA } from '../../error-codes.ts';
import { joinRefused, NO_ASSIGNMENT, syncRefused } from './group-answers.ts';
import {
  commonProtocols,
  electProtocol,
  type GroupMember,
  type JoinAnswer,
  type JoinRequest,
  type SyncAnswer,
  type SyncRequest,
  sameProtocols,
} from './group-member.ts';

export type GroupPhase = 'empty' | 'joining' | 'syncing' | 'stable';

export interface GroupSettings {
  /** How long the first member of an empty group waits for others. */
  readonly initialDelayMs: number;
  /** A new member id for a client. */
  readonly newMemberId: (clientId: string) => string;
}

const MIN_SESSION_MS = 100;
const MAX_SESSION_MS = 1_800_000;

export class Group {
  readonly id: string;
  private readonly settings: GroupSettings;
  private readonly members = new Map<string, GroupMember>();
  /** Ids told to newcomers that have not come back with them, with the time at which they are forgotten. */
  private readonly promised = new Map<string, number>();
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

  get memberList(): readonly Readonly<GroupMember>[] {
    return [...this.members.values()];
  }

  /** `answer` is called once: at once, or when the group has come together. */
  join(now: number, request: JoinRequest, answer: (answer: JoinAnswer) => void): void {
    const code = this.refusalOfJoin(request);
    if (code !== KAFKA.NONE) {
      answer(joinRefused(code, request.memberId));
      return;
    }
    const predecessor = this.memberOfInstance(request.instanceId);
    if (request.memberId !== '') {
      const member = this.members.get(request.memberId);
      if (member === undefined) this.admit(now, request, request.memberId, answer);
      else this.joinAgain(now, member, request, answer);
      return;
    }
    const memberId = this.settings.newMemberId(request.clientId);
    if (predecessor !== undefined) {
      this.fence(predecessor);
    } else if (request.mustKnowId && request.instanceId === null) {
      this.promised.set(memberId, now + request.sessionTimeoutMs);
      answer(joinRefused(KAFKA.MEMBER_ID_REQUIRED, memberId));
      return;
    }
    this.admit(now, request, memberId, answer);
  }

  /** `answer` is called once: at once, or when the leader has assigned. */
  sync(now: number, request: SyncRequest, answer: (answer: SyncAnswer) => void): void {
    const code = this.refusalOfSync(request);
    const member = this.members.get(request.memberId);
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
    const code = this.refusalOfMember(memberId, instanceId, generationId);
    if (code !== KAFKA.NONE) return code;
    const member = this.members.get(memberId);
    if (member !== undefined) member.seenAt = now;
    return this.currentPhase === 'joining' ? KAFKA.REBALANCE_IN_PROGRESS : KAFKA.NONE;
  }

  /** Kafka's code for a member that leaves; a static member may be named by its instance alone. */
  leave(now: number, memberId: string, instanceId: string | null): number {
    const byInstance = this.memberOfInstance(instanceId);
    const member = memberId === '' ? byInstance : this.members.get(memberId);
    if (this.promised.delete(memberId)) return KAFKA.NONE;
    if (member === undefined) return KAFKA.UNKNOWN_MEMBER_ID;
    if (instanceId !== null && byInstance !== member) return KAFKA.FENCED_INSTANCE_ID;
    this.remove(member);
    this.afterLoss(now);
    return KAFKA.NONE;
  }

  /** Kafka's code for whether these coordinates may commit offsets now. */
  mayCommit(memberId: string, instanceId: string | null, generationId: number): number {
    if (generationId < 0 && memberId === '') {
      return this.currentPhase === 'empty' ? KAFKA.NONE : KAFKA.UNKNOWN_MEMBER_ID;
    }
    const code = this.refusalOfMember(memberId, instanceId, generationId);
    if (code !== KAFKA.NONE) return code;
    return this.currentPhase === 'syncing' ? KAFKA.REBALANCE_IN_PROGRESS : KAFKA.NONE;
  }

  /** A commit is a sign of life as well. */
  touch(now: number, memberId: string): void {
    const member = this.members.get(memberId);
    if (member !== undefined) member.seenAt = now;
  }

  /** Lets time pass: ends phases that are due and drops members that are not heard of any more. */
  tick(now: number): void {
    for (const [memberId, until] of this.promised) if (now >= until) this.promised.delete(memberId);
    const silent = [...this.members.values()].filter((member) => this.isSilent(now, member));
    for (const member of silent) this.remove(member);
    if (silent.length > 0) this.afterLoss(now);
    if (this.currentPhase === 'joining') this.endJoiningIfDue(now);
    if (this.currentPhase === 'syncing' && now >= this.syncUntil) this.dropThoseNotSyncing(now);
  }

  /** The coordinator is somebody else now: whoever waits is told so. */
  abandon(): void {
    for (const member of this.members.values()) {
      member.answerJoin?.(joinRefused(KAFKA.NOT_COORDINATOR, member.id));
      member.answerSync?.(syncRefused(KAFKA.NOT_COORDINATOR));
    }
    this.members.clear();
    this.promised.clear();
    this.currentPhase = 'empty';
  }

  private memberOfInstance(instanceId: string | null): GroupMember | undefined {
    if (instanceId === null) return undefined;
    return [...this.members.values()].find((member) => member.instanceId === instanceId);
  }

  private refusalOfJoin(request: JoinRequest): number {
    const { memberId, instanceId, sessionTimeoutMs, protocolType, protocols } = request;
    if (sessionTimeoutMs < MIN_SESSION_MS || sessionTimeoutMs > MAX_SESSION_MS) return KAFKA.INVALID_SESSION_TIMEOUT;
    if (protocolType === '' || protocols.length === 0) return KAFKA.INCONSISTENT_GROUP_PROTOCOL;
    const holder = this.memberOfInstance(instanceId);
    if (memberId !== '') {
      if (!this.members.has(memberId) && !this.promised.has(memberId)) return KAFKA.UNKNOWN_MEMBER_ID;
      if (holder !== undefined && holder.id !== memberId) return KAFKA.FENCED_INSTANCE_ID;
    }
    const others = [...this.members.values()].filter((member) => member.id !== memberId && member !== holder);
    return this.fits(request, others) ? KAFKA.NONE : KAFKA.INCONSISTENT_GROUP_PROTOCOL;
  }

  private fits(request: JoinRequest, others: readonly GroupMember[]): boolean {
    if (others.length === 0) return true;
    const common = commonProtocols(others);
    return request.protocolType === this.type && request.protocols.some((protocol) => common.has(protocol.name));
  }

  private refusalOfMember(memberId: string, instanceId: string | null, generationId: number): number {
    const holder = this.memberOfInstance(instanceId);
    if (holder !== undefined && holder.id !== memberId) return KAFKA.FENCED_INSTANCE_ID;
    if (!this.members.has(memberId)) return KAFKA.UNKNOWN_MEMBER_ID;
    return generationId === this.generation ? KAFKA.NONE : KAFKA.ILLEGAL_GENERATION;
  }

  private refusalOfSync(request: SyncRequest): number {
    const code = this.refusalOfMember(request.memberId, request.instanceId, request.generationId);
    if (code !== KAFKA.NONE) return code;
    if (this.currentPhase === 'joining') return KAFKA.REBALANCE_IN_PROGRESS;
    const isOther = (given: string | null, ours: string | null): boolean => given !== null && given !== ours;
    if (isOther(request.protocolType, this.type) || isOther(request.protocolName, this.protocol)) {
      return KAFKA.INCONSISTENT_GROUP_PROTOCOL;
    }
    return KAFKA.NONE;
  }

  private admit(now: number, request: JoinRequest, memberId: string, answer: (answer: JoinAnswer) => void): void {
    this.promised.delete(memberId);
    const { instanceId, clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request;
    const settings = { instanceId, clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs, protocols };
    const state = { assignment: NO_ASSIGNMENT, seenAt: now, answerJoin: answer, answerSync: undefined };
    this.members.set(memberId, { id: memberId, ...settings, ...state });
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

  private fence(member: GroupMember): void {
    member.answerJoin?.(joinRefused(KAFKA.FENCED_INSTANCE_ID, member.id));
    member.answerSync?.(syncRefused(KAFKA.FENCED_INSTANCE_ID));
    this.members.delete(member.id);
  }

  private remove(member: GroupMember): void {
    member.answerJoin?.(joinRefused(KAFKA.UNKNOWN_MEMBER_ID, member.id));
    member.answerSync?.(syncRefused(KAFKA.UNKNOWN_MEMBER_ID));
    this.members.delete(member.id);
  }

  private afterLoss(now: number): void {
    if (this.members.size === 0) this.becomeEmpty();
    else this.beginJoining(now);
  }

  private becomeEmpty(): void {
    if (this.currentPhase !== 'empty') this.generation += 1;
    this.currentPhase = 'empty';
    this.leader = '';
    this.protocol = null;
  }

  private isSilent(now: number, member: GroupMember): boolean {
    const isWaiting = member.answerJoin !== undefined || member.answerSync !== undefined;
    return !isWaiting && now - member.seenAt > member.sessionTimeoutMs;
  }

  private beginJoining(now: number): void {
    if (this.currentPhase !== 'joining') {
      this.joinNotBefore = this.currentPhase === 'empty' ? now + this.settings.initialDelayMs : now;
      for (const member of this.members.values()) this.sendBack(now, member);
      this.currentPhase = 'joining';
      this.joinUntil = now + this.longestRebalance();
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

  private longestRebalance(): number {
    return Math.max(0, ...[...this.members.values()].map((member) => member.rebalanceTimeoutMs));
  }

  private endJoiningIfDue(now: number): void {
    const missing = [...this.members.values()].filter((member) => member.answerJoin === undefined);
    const isComplete = missing.length === 0 && this.promised.size === 0 && now >= this.joinNotBefore;
    if (!isComplete && now < this.joinUntil) return;
    for (const member of missing) this.remove(member);
    if (this.members.size === 0) this.becomeEmpty();
    else this.endJoining(now);
  }

  private endJoining(now: number): void {
    const members = [...this.members.values()];
    this.generation += 1;
    this.protocol = electProtocol(members) ?? null;
    if (!this.members.has(this.leader)) this.leader = members[0]?.id ?? '';
    this.currentPhase = 'syncing';
    this.syncUntil = now + this.longestRebalance();
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
    const everybody = [...this.members.values()].map((each) => ({
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
    for (const member of this.members.values()) {
      member.assignment = Buffer.from(given.get(member.id) ?? NO_ASSIGNMENT);
      member.seenAt = now;
      const { answerSync } = member;
      member.answerSync = undefined;
      answerSync?.(this.assignmentOf(member));
    }
  }

  private dropThoseNotSyncing(now: number): void {
    for (const member of [...this.members.values()]) if (member.answerSync === undefined) this.remove(member);
    this.afterLoss(now);
  }
}
