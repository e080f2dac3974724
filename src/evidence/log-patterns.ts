// What nodes write into their own logs about the things a drill is after: fencing, elections, in-sync sets, recovery, truncation. A
// catalogue is for one product and its versions, because the words are nobody's promise: a pattern that never matched, not even
// while the cluster started and ran undisturbed, proves nothing by its silence.

export interface LogPattern {
  /** In the timeline and the report. */
  readonly kind: string;
  readonly text: RegExp;
  /** What it says, in a few words. */
  readonly means: string;
  /** Whether it is something that should not happen. */
  readonly isBadSign: boolean;
  /** At which boundary it is evidence. */
  readonly boundary: 'write' | 'wal' | 'ownership';
}

interface Catalogue {
  /** The target's profile. */
  readonly profile: string;
  /** Which versions it was read in. */
  readonly versions: RegExp;
  readonly patterns: readonly LogPattern[];
}

/** The words around the values; where controllers and brokers are separate, each writes its own of them. */
const APACHE_KAFKA_4: readonly LogPattern[] = [
  {
    kind: 'broker-fenced',
    text: /Fencing broker \d+ at epoch \d+ because its session has timed out/u,
    means: 'the controller shut a silent broker out',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'broker-recovered',
    text: /Transitioning from RECOVERY to RUNNING/u,
    means: 'a broker is in service again',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'broker-unfenced',
    text: /The request from broker \d+ to unfence has been granted/u,
    means: 'the controller let a broker in again',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'in-sync-shrunk',
    text: /Shrinking ISR from/u,
    means: 'a leader took a replica out of the in-sync set',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'leader-epoch-begun',
    text: /starts at leader epoch \d+ from offset \d+/u,
    means: 'a replica began an epoch of its leader',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'log-truncated',
    text: /Truncating to offset \d+/u,
    means: 'a replica cut the end of its log',
    isBadSign: true,
    boundary: 'wal',
  },
  {
    kind: 'quorum-transition',
    text: /Completed transition to (?:Leader|FollowerState|CandidateState|ProspectiveState|UnattachedState|ResignedState)/u,
    means: 'a member of the quorum changed its role',
    isBadSign: false,
    boundary: 'ownership',
  },
  {
    kind: 'segment-recovered',
    text: /Recovering unflushed segment/u,
    means: 'a broker read its log again after it had not been closed in order',
    isBadSign: false,
    boundary: 'wal',
  },
  {
    kind: 'unclean-change',
    text: /UNCLEAN partition change for/u,
    means: 'a replica that may lack records became leader',
    isBadSign: true,
    boundary: 'ownership',
  },
  {
    kind: 'unclean-election',
    text: /Triggering unclean leader election for offline partition/u,
    means: 'the controller gave up on the in-sync replicas',
    isBadSign: true,
    boundary: 'ownership',
  },
  {
    kind: 'under-min-isr',
    text: /\(under-min-isr\)/u,
    means: 'fewer replicas than the minimum were in sync',
    isBadSign: true,
    boundary: 'write',
  },
];

const CATALOGUES: readonly Catalogue[] = [{ profile: 'apache-kafka', versions: /^4\./u, patterns: APACHE_KAFKA_4 }];

/** The patterns for a product; none where its words are not known. `version`: absent where the target does not tell. */
export const patternsFor = (profile: string, version: string | undefined): readonly LogPattern[] =>
  CATALOGUES.find((each) => each.profile === profile && (version === undefined || each.versions.test(version)))
    ?.patterns ?? [];

const LOGGED_AT = /^\[?(?<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[,.]\d{3})\]?/u;

/** The time a line says it was written at, as it stands there: by the node's own clock, in whatever zone. */
export const loggedAt = (line: string): string | undefined => LOGGED_AT.exec(line)?.groups?.['at'];
