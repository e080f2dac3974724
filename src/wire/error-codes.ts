// Kafka's error codes by name, and which of them go away by themselves: after a new look at the metadata, or after a pause.

/** Code to name, as far as clients of our message table can meet them. */
const NAMES: Readonly<Record<number, string>> = {
  [-1]: 'UNKNOWN_SERVER_ERROR',
  0: 'NONE',
  1: 'OFFSET_OUT_OF_RANGE',
  2: 'CORRUPT_MESSAGE',
  3: 'UNKNOWN_TOPIC_OR_PARTITION',
  4: 'INVALID_FETCH_SIZE',
  5: 'LEADER_NOT_AVAILABLE',
  6: 'NOT_LEADER_OR_FOLLOWER',
  7: 'REQUEST_TIMED_OUT',
  8: 'BROKER_NOT_AVAILABLE',
  9: 'REPLICA_NOT_AVAILABLE',
  10: 'MESSAGE_TOO_LARGE',
  12: 'OFFSET_METADATA_TOO_LARGE',
  13: 'NETWORK_EXCEPTION',
  14: 'COORDINATOR_LOAD_IN_PROGRESS',
  15: 'COORDINATOR_NOT_AVAILABLE',
  16: 'NOT_COORDINATOR',
  17: 'INVALID_TOPIC_EXCEPTION',
  18: 'RECORD_LIST_TOO_LARGE',
  19: 'NOT_ENOUGH_REPLICAS',
  20: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  21: 'INVALID_REQUIRED_ACKS',
  22: 'ILLEGAL_GENERATION',
  23: 'INCONSISTENT_GROUP_PROTOCOL',
  25: 'UNKNOWN_MEMBER_ID',
  27: 'REBALANCE_IN_PROGRESS',
  29: 'TOPIC_AUTHORIZATION_FAILED',
  30: 'GROUP_AUTHORIZATION_FAILED',
  31: 'CLUSTER_AUTHORIZATION_FAILED',
  32: 'INVALID_TIMESTAMP',
  33: 'UNSUPPORTED_SASL_MECHANISM',
  34: 'ILLEGAL_SASL_STATE',
  35: 'UNSUPPORTED_VERSION',
  36: 'TOPIC_ALREADY_EXISTS',
  37: 'INVALID_PARTITIONS',
  38: 'INVALID_REPLICATION_FACTOR',
  39: 'INVALID_REPLICA_ASSIGNMENT',
  40: 'INVALID_CONFIG',
  41: 'NOT_CONTROLLER',
  42: 'INVALID_REQUEST',
  43: 'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  44: 'POLICY_VIOLATION',
  45: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
  46: 'DUPLICATE_SEQUENCE_NUMBER',
  47: 'INVALID_PRODUCER_EPOCH',
  53: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  56: 'KAFKA_STORAGE_ERROR',
  57: 'LOG_DIR_NOT_FOUND',
  58: 'SASL_AUTHENTICATION_FAILED',
  59: 'UNKNOWN_PRODUCER_ID',
  60: 'REASSIGNMENT_IN_PROGRESS',
  73: 'TOPIC_DELETION_DISABLED',
  74: 'FENCED_LEADER_EPOCH',
  75: 'UNKNOWN_LEADER_EPOCH',
  76: 'UNSUPPORTED_COMPRESSION_TYPE',
  78: 'OFFSET_NOT_AVAILABLE',
  79: 'MEMBER_ID_REQUIRED',
  80: 'PREFERRED_LEADER_NOT_AVAILABLE',
  83: 'ELIGIBLE_LEADERS_NOT_AVAILABLE',
  84: 'ELECTION_NOT_NEEDED',
  85: 'NO_REASSIGNMENT_IN_PROGRESS',
  87: 'INVALID_RECORD',
  89: 'THROTTLING_QUOTA_EXCEEDED',
  90: 'PRODUCER_FENCED',
  95: 'INVALID_UPDATE_VERSION',
  96: 'FEATURE_UPDATE_FAILED',
  100: 'UNKNOWN_TOPIC_ID',
};

export const NONE = 0;
export const OFFSET_OUT_OF_RANGE = 1;
export const UNKNOWN_TOPIC_OR_PARTITION = 3;
export const TOPIC_AUTHORIZATION_FAILED = 29;
export const GROUP_AUTHORIZATION_FAILED = 30;
export const CLUSTER_AUTHORIZATION_FAILED = 31;
export const UNSUPPORTED_SASL_MECHANISM = 33;
export const ILLEGAL_SASL_STATE = 34;
export const UNSUPPORTED_VERSION = 35;
export const SASL_AUTHENTICATION_FAILED = 58;
export const ELECTION_NOT_NEEDED = 84;
export const INVALID_UPDATE_VERSION = 95;

/** Kafka's name of an error code, or `ERROR_<code>`. */
export const errorCodeName = (code: number): string => NAMES[code] ?? `ERROR_${code}`;

/** Codes that a fresh look at the metadata may cure: the partition has another leader, or none yet. */
const LEADERSHIP: ReadonlySet<number> = new Set([3, 5, 6, 8, 9, 41, 74, 75, 78, 100]);
/** Codes that may be gone a moment later. */
const PASSING: ReadonlySet<number> = new Set([-1, 2, 7, 13, 14, 15, 16, 19, 20, 56, 89]);

export const isLeadershipError = (code: number): boolean => LEADERSHIP.has(code);
/** Whether asking again may help; says nothing about whether the first request took effect. */
export const isRetriable = (code: number): boolean => LEADERSHIP.has(code) || PASSING.has(code);
