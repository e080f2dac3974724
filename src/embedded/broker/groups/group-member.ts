// A member of a consumer group as its coordinator sees it, and what it asks and is told when it joins and syncs.

export interface GroupProtocol {
  readonly name: string;
  /** Opaque: the member's subscription in the consumer protocol. */
  readonly metadata: Buffer;
}

export interface JoinRequest {
  /** Empty for a member that has no id yet. */
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  readonly protocols: readonly GroupProtocol[];
  /** Whether a newcomer must come back with the id it is told first (JoinGroup version 4 and up). */
  readonly mustKnowId: boolean;
}

export interface JoinAnswer {
  readonly code: number;
  readonly memberId: string;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly leaderId: string;
  /** Everybody, for the leader; empty for the others. */
  readonly members: readonly {
    readonly memberId: string;
    readonly instanceId: string | null;
    readonly metadata: Buffer;
  }[];
}

export interface SyncRequest {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** From the leader: what each member gets. */
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[];
}

export interface SyncAnswer {
  readonly code: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Buffer;
}

/** Changed in place by the group it belongs to, and by nobody else. */
export interface GroupMember {
  id: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  protocols: readonly GroupProtocol[];
  assignment: Buffer;
  /** Monotonic milliseconds. */
  seenAt: number;
  /** Set while the member waits for the others to join. */
  answerJoin: ((answer: JoinAnswer) => void) | undefined;
  /** Set while the member waits for the leader's assignment. */
  answerSync: ((answer: SyncAnswer) => void) | undefined;
}

/** Whether two lists of protocols are the same, metadata included. */
export const sameProtocols = (one: readonly GroupProtocol[], other: readonly GroupProtocol[]): boolean =>
  one.length === other.length &&
  one.every((protocol, index) => {
    const counterpart = other[index];
    return protocol.name === counterpart?.name && protocol.metadata.equals(counterpart.metadata);
  });

/** Names of protocols that all members support. */
export const commonProtocols = (members: readonly GroupMember[]): ReadonlySet<string> => {
  const [first, ...others] = members;
  const names = (first?.protocols ?? []).map((protocol) => protocol.name);
  const supports = (member: GroupMember, name: string): boolean =>
    member.protocols.some((protocol) => protocol.name === name);
  return new Set(names.filter((name) => others.every((member) => supports(member, name))));
};

/** The common protocol that most members like best; the first by name among equals. Undefined when there is none. */
export const electProtocol = (members: readonly GroupMember[]): string | undefined => {
  const common = commonProtocols(members);
  const votes = new Map<string, number>();
  for (const member of members) {
    const favourite = member.protocols.find((protocol) => common.has(protocol.name))?.name;
    if (favourite !== undefined) votes.set(favourite, (votes.get(favourite) ?? 0) + 1);
  }
  const ranked = [...votes].sort(([name, count], [other, otherCount]) => otherCount - count || (name < other ? -1 : 1));
  return ranked[0]?.[0];
};
