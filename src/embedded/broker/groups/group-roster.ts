// Who belongs to a group: its members, and the ids that newcomers were told and have not come back with yet. Knows which
// coordinates are good; what a group does about it is `group.ts`'s affair.
import { KAFKA } from '../../error-codes.ts';
import { joinRefused, NO_ASSIGNMENT, syncRefused } from './group-answers.ts';
import { commonProtocols, type GroupMember, type JoinAnswer, type JoinRequest } from './group-member.ts';

const MIN_SESSION_MS = 100;
const MAX_SESSION_MS = 1_800_000;

export class GroupRoster {
  private readonly members = new Map<string, GroupMember>();
  /** Promised id → when it is forgotten. */
  private readonly promised = new Map<string, number>();

  get size(): number {
    return this.members.size;
  }

  get isAwaitingNewcomers(): boolean {
    return this.promised.size > 0;
  }

  all(): readonly GroupMember[] {
    return [...this.members.values()];
  }

  get(memberId: string): GroupMember | undefined {
    return this.members.get(memberId);
  }

  ofInstance(instanceId: string | null): GroupMember | undefined {
    return instanceId === null ? undefined : this.all().find((member) => member.instanceId === instanceId);
  }

  longestRebalanceMs(): number {
    return Math.max(0, ...this.all().map((member) => member.rebalanceTimeoutMs));
  }

  /** A newcomer was told this id; it is kept for it until `until`. */
  promise(memberId: string, until: number): void {
    this.promised.set(memberId, until);
  }

  /** True if the id had been promised and not been taken. */
  forgetPromise(memberId: string): boolean {
    return this.promised.delete(memberId);
  }

  forgetStalePromises(now: number): void {
    for (const [memberId, until] of this.promised) if (now >= until) this.promised.delete(memberId);
  }

  admit(now: number, request: JoinRequest, memberId: string, answerJoin: (answer: JoinAnswer) => void): void {
    this.promised.delete(memberId);
    const { instanceId, clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request;
    const settings = { instanceId, clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs, protocols };
    const state = { assignment: NO_ASSIGNMENT, seenAt: now, answerJoin, answerSync: undefined };
    this.members.set(memberId, { id: memberId, ...settings, ...state });
  }

  /** Takes a member off the list; whatever it waits for is answered with `code`. */
  remove(member: GroupMember, code: number): void {
    this.members.delete(member.id);
    member.answerJoin?.(joinRefused(code, member.id));
    member.answerSync?.(syncRefused(code));
  }

  /** Members that neither wait for us nor were heard of within their session. */
  silent(now: number): readonly GroupMember[] {
    return this.all().filter((member) => {
      const isWaiting = member.answerJoin !== undefined || member.answerSync !== undefined;
      return !isWaiting && now - member.seenAt > member.sessionTimeoutMs;
    });
  }

  /** Kafka's code for somebody who claims to be this member. */
  refusalOf(memberId: string, instanceId: string | null): number {
    const holder = this.ofInstance(instanceId);
    if (holder !== undefined && holder.id !== memberId) return KAFKA.FENCED_INSTANCE_ID;
    return this.members.has(memberId) ? KAFKA.NONE : KAFKA.UNKNOWN_MEMBER_ID;
  }

  /** Kafka's code for a wish to join a group of `protocolType`. */
  refusalOfJoin(request: JoinRequest, protocolType: string | null): number {
    const { memberId, instanceId, sessionTimeoutMs, protocols } = request;
    if (sessionTimeoutMs < MIN_SESSION_MS || sessionTimeoutMs > MAX_SESSION_MS) return KAFKA.INVALID_SESSION_TIMEOUT;
    if (request.protocolType === '' || protocols.length === 0) return KAFKA.INCONSISTENT_GROUP_PROTOCOL;
    const holder = this.ofInstance(instanceId);
    if (memberId !== '') {
      if (!this.members.has(memberId) && !this.promised.has(memberId)) return KAFKA.UNKNOWN_MEMBER_ID;
      if (holder !== undefined && holder.id !== memberId) return KAFKA.FENCED_INSTANCE_ID;
    }
    const others = this.all().filter((member) => member.id !== memberId && member !== holder);
    return this.fits(request, others, protocolType) ? KAFKA.NONE : KAFKA.INCONSISTENT_GROUP_PROTOCOL;
  }

  private fits(request: JoinRequest, others: readonly GroupMember[], protocolType: string | null): boolean {
    if (others.length === 0) return true;
    const common = commonProtocols(others);
    return request.protocolType === protocolType && request.protocols.some((protocol) => common.has(protocol.name));
  }
}
