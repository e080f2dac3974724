// The one table from Kafka error code to what became of a produce request: ok, fail or unknown. Unknown is the default; a
// code is a definite failure only by a row here, with its reason, and only where nothing earlier is in doubt.

/** What became of a record: acknowledged, definitely not written, or possibly written now or later. */
export type OutcomeState = 'ok' | 'fail' | 'unknown';

/** How far the answer of one attempt can be believed. */
export type OutcomeRule =
  | 'acknowledged'
  | 'acknowledged-without-offset'
  | 'refused'
  | 'refused-by-apache-kafka'
  | 'refused-if-attempts-are-visible'
  | 'undecided';

export interface OutcomeRow {
  readonly code: number;
  readonly name: string;
  readonly rule: OutcomeRule;
  readonly reason: string;
}

const row = (code: number, name: string, rule: OutcomeRule, reason: string): OutcomeRow => ({
  code,
  name,
  rule,
  reason,
});

const SEQUENCE_REASON = 'often the answer to a retry of a batch that was stored';

/** Sorted by code. */
export const OUTCOME_TABLE: readonly OutcomeRow[] = [
  row(-1, 'UNKNOWN_SERVER_ERROR', 'undecided', 'may follow an append'),
  row(0, 'NONE', 'acknowledged', 'acknowledged'),
  row(2, 'CORRUPT_MESSAGE', 'undecided', 'may be a transport fault on a retry'),
  row(5, 'LEADER_NOT_AVAILABLE', 'undecided', 'says nothing about an earlier append'),
  row(6, 'NOT_LEADER_OR_FOLLOWER', 'undecided', 'a deposed leader may have appended before it answered'),
  row(7, 'REQUEST_TIMED_OUT', 'undecided', 'appended, replication not confirmed in time'),
  row(10, 'MESSAGE_TOO_LARGE', 'refused', 'refused on validation'),
  row(13, 'NETWORK_EXCEPTION', 'undecided', 'the reply was lost'),
  row(17, 'INVALID_TOPIC_EXCEPTION', 'refused', 'refused on validation'),
  row(18, 'RECORD_LIST_TOO_LARGE', 'refused', 'refused on validation'),
  row(19, 'NOT_ENOUGH_REPLICAS', 'refused-by-apache-kafka', 'Apache Kafka refuses before the append'),
  row(20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'undecided', 'documented as written to the log'),
  row(21, 'INVALID_REQUIRED_ACKS', 'refused', 'refused on validation'),
  row(29, 'TOPIC_AUTHORIZATION_FAILED', 'refused', 'refused before the append'),
  row(31, 'CLUSTER_AUTHORIZATION_FAILED', 'refused', 'refused before the append'),
  row(32, 'INVALID_TIMESTAMP', 'refused', 'refused on validation'),
  row(43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT', 'refused', 'refused on validation'),
  row(45, 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'refused-if-attempts-are-visible', SEQUENCE_REASON),
  row(46, 'DUPLICATE_SEQUENCE_NUMBER', 'acknowledged-without-offset', 'already stored'),
  row(47, 'INVALID_PRODUCER_EPOCH', 'refused-if-attempts-are-visible', SEQUENCE_REASON),
  row(56, 'KAFKA_STORAGE_ERROR', 'undecided', 'the state of the append is not known'),
  row(59, 'UNKNOWN_PRODUCER_ID', 'refused-if-attempts-are-visible', SEQUENCE_REASON),
  row(87, 'INVALID_RECORD', 'refused', 'refused on validation'),
  row(90, 'PRODUCER_FENCED', 'refused-if-attempts-are-visible', SEQUENCE_REASON),
];

const byCode: ReadonlyMap<number, OutcomeRow> = new Map(OUTCOME_TABLE.map((entry) => [entry.code, entry]));

/** What a target declares about its answers; everything undeclared is taken to be in doubt. */
export interface OutcomeProfile {
  /** NOT_ENOUGH_REPLICAS (19) comes before the append: Apache Kafka, or a target that declares the same. */
  readonly notEnoughReplicasIsDefinite: boolean;
  /** 45, 47, 59 and 90 are definite on a clean first attempt of a client that shows every attempt. */
  readonly sequenceErrorsAreDefinite: boolean;
}

/** Nothing is declared. */
export const CAUTIOUS_PROFILE: OutcomeProfile = {
  notEnoughReplicasIsDefinite: false,
  sequenceErrorsAreDefinite: false,
};

/** Apache Kafka, seen through a client that shows every attempt. */
export const APACHE_KAFKA_PROFILE: OutcomeProfile = {
  notEnoughReplicasIsDefinite: true,
  sequenceErrorsAreDefinite: false,
};

/** What is known about the attempt that was answered. */
export interface AttemptFacts {
  /** The answered attempt is provably the first of its records; false for clients that hide their attempts. */
  readonly isFirst: boolean;
  /** An earlier attempt may have reached a broker and was not definitely refused. */
  readonly tainted: boolean;
  readonly profile: OutcomeProfile;
}

export interface JudgedOutcome {
  readonly outcome: OutcomeState;
  /** Whether the base offset of the answer may be believed; false unless `outcome` is ok. */
  readonly offsetTrusted: boolean;
  /** A phrase for people; raw codes are recorded beside it. */
  readonly reason: string;
}

const isDefinite = (rule: OutcomeRule, profile: OutcomeProfile): boolean => {
  if (rule === 'refused') return true;
  if (rule === 'refused-by-apache-kafka') return profile.notEnoughReplicasIsDefinite;
  return rule === 'refused-if-attempts-are-visible' && profile.sequenceErrorsAreDefinite;
};

/** The outcome of a produce request that was answered with `code`, acks other than 0. */
export const judgeAnswer = (code: number, facts: AttemptFacts): JudgedOutcome => {
  const found = byCode.get(code);
  const rule = found?.rule ?? 'undecided';
  const reason = found?.reason ?? 'no row says that this code is definite';
  if (rule === 'acknowledged') return { outcome: 'ok', offsetTrusted: true, reason };
  if (rule === 'acknowledged-without-offset') return { outcome: 'ok', offsetTrusted: false, reason };
  if (!isDefinite(rule, facts.profile)) return { outcome: 'unknown', offsetTrusted: false, reason };
  if (facts.isFirst && !facts.tainted) return { outcome: 'fail', offsetTrusted: false, reason };
  return { outcome: 'unknown', offsetTrusted: false, reason: `${reason}, but an earlier attempt is in doubt` };
};

/** How an attempt can end without an answer. */
export type UnansweredEnd = 'never-sent' | 'disconnected' | 'deadline' | 'cancelled' | 'unacknowledged' | 'unreadable';

const UNANSWERED: Readonly<Record<UnansweredEnd, string>> = {
  'never-sent': 'nothing left the process',
  disconnected: 'the connection ended before the answer',
  deadline: 'no answer within the deadline',
  cancelled: 'cancelled before the answer',
  unacknowledged: 'acks=0 asks for no answer',
  unreadable: 'the answer could not be read, or was about something else',
};

/** The outcome of a produce request without an answer: a failure only if it was never handed to a socket. */
export const judgeUnanswered = (
  end: UnansweredEnd,
  facts: Pick<AttemptFacts, 'isFirst' | 'tainted'>,
): JudgedOutcome => {
  const definite = end === 'never-sent' && facts.isFirst && !facts.tainted;
  return { outcome: definite ? 'fail' : 'unknown', offsetTrusted: false, reason: UNANSWERED[end] };
};
