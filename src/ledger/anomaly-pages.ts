// What each anomaly means, what usually causes it, and where to look next: the text of `list anomalies` and `explain`.
import type { Anomaly } from '../vocabulary.ts';

export interface AnomalyPage {
  /** One sentence. */
  readonly summary: string;
  readonly usualCause: string;
  readonly lookNext: string;
}

const page = (summary: string, usualCause: string, lookNext: string): AnomalyPage => ({
  summary,
  usualCause,
  lookNext,
});

export const ANOMALY_PAGES: Readonly<Record<Anomaly, AnomalyPage>> = {
  'ack-offset-mismatch': page(
    'A record stands at another offset than the one its acknowledgement named.',
    'An off-by-one in the answer, an answer to the wrong request, or a client that reports offset 0.',
    'Compare the answer in the ledger with the log; see whether every acknowledgement is off by the same number.',
  ),
  'client-anomaly': page(
    "The client's own result differs from what its bytes say, or one reader finds what another cannot.",
    'A client library that retries, re-maps or resets behind its interface.',
    'Run the scenario with `client: wire`; report the difference to the client, not to the broker.',
  ),
  'clock-jump': page(
    'The wall clock moved against the monotonic clock during the run.',
    'Time synchronisation, a suspended machine, or a virtual machine that was moved.',
    'Run again on a machine whose clock is steady; time stamps of this run cannot be lined up.',
  ),
  'corrupt-value': page(
    'A record came back with another value, key or header than was sent.',
    'A flipped or torn byte on disk, in an object or in a buffer that was reused too early.',
    'Read the same offsets from the object and from the broker; compare hot and cold passes.',
  ),
  'divergent-route': page(
    'A record that one pass showed is missing from a later pass that went over the same offset.',
    'Hot and cold reads take different paths, and one of them skips.',
    'Compare the passes: missing only in `cold` points at objects and their index, only in `full` at caches.',
  ),
  duplicate: page(
    'One record stands in the log at two or more places.',
    'A retry after a lost answer without idempotence, or producer state that was lost.',
    'See whether the record is tainted (sent more than once), and whether the copies share a producer id.',
  ),
  'duplicate-ack-offset': page(
    'Two records were acknowledged at the same offset, so at most one of them is stored.',
    'Two owners at once, or a new owner that starts again at an offset already given out.',
    'Look at the leader epochs around the second acknowledgement; check fencing.',
  ),
  'duplicate-client': page(
    'A record is stored twice because the client sent it again under a new producer id or epoch.',
    'An idempotent client that re-initialised after an error and re-sent.',
    'Legal for the broker; look at the client and its error handling.',
  ),
  'failed-visible': page(
    'A record whose write was definitely refused can be read.',
    'An error was answered after the append, or a replica kept what the leader refused.',
    'Look at the error code in the ledger and at leadership when it was answered.',
  ),
  'fault-not-effective': page(
    'A fault was not shown to bite, so the run proves nothing about it.',
    'The client bypassed the proxy, the victim was not what it seemed, or the fault ended early.',
    'Read the mechanism, effect and control evidence of the fault in the report.',
  ),
  'hwm-regression': page(
    'The end of a partition, as ListOffsets tells it, fell below something already acknowledged or told.',
    'A new leader that starts behind the old one, or a high watermark that is not recovered.',
    'Compare the snapshots before and after the leader change.',
  ),
  'inconsistent-offset': page(
    'Another record stands where an acknowledged one should, or two passes show different records at one offset.',
    'The log was cut and written again, or two writers filled one place.',
    'Look at both records: their epochs and producers say who wrote over whom.',
  ),
  'insufficient-samples': page(
    'Too little was attempted or acknowledged around a fault for it to find anything.',
    'A rate that is too low, a fault too close to the end, or a victim that led nothing.',
    'Raise the rate or the duration, or choose another victim.',
  ),
  'leader-epoch-regression': page(
    'Batches with a lower leader epoch stand behind batches with a higher one.',
    'A deposed leader that could still append.',
    'Look for the moment of the leader change and for writes of the old leader after it.',
  ),
  'ledger-damaged': page(
    'The ledger of the run is damaged or incomplete, so no pass can be given.',
    'The machine or ackproof died while writing, or files were changed afterwards.',
    'Run again; if it repeats, check the disk.',
  ),
  'log-reset': page(
    'The log is not the one it was: another topic id, or an end below the beginning of the run.',
    'The topic was deleted and created again, or its data was lost and started from nothing.',
    'Compare topic id and offsets of the snapshots.',
  ),
  'lost-prefix': page(
    'Acknowledged records below the log start are gone, and retention does not explain it.',
    'A log start that moved too far: recovery, retention or deletion of the wrong object.',
    'Compare the log start before and after the fault with the retention settings.',
  ),
  'lost-tail': page(
    'The end of the log was cut off below acknowledged records.',
    'A new owner that did not recover the last writes: acknowledged before durable, or a lost write-ahead log.',
    'See how long before the fault the records were acknowledged; look at the recovery lines of the new owner.',
  ),
  'lost-write': page(
    'An acknowledged record is in no pass, although the log goes on beyond its offset.',
    'An acknowledgement before the write was durable, an overwritten place, or a read that skips.',
    'Look for the record in storage: present and not served, or absent.',
  ),
  'no-progress': page(
    'Nothing was acknowledged in a window in which the cluster had what it needs.',
    'A partition without a leader, a stuck recovery, or a client that stays with a silent broker.',
    'Look at the leader of the partition and at the broker log after the heal.',
  ),
  'nonmonotonic-poll': page(
    'A pass was given an offset at or below the one before it.',
    'A fetch that joins pieces in the order of arrival, or a client that was reset.',
    'Repeat the read with the other client.',
  ),
  'nonmonotonic-send': page(
    'Two records of one producer stand in the log in the other order than they were sent.',
    'Several requests in flight with retries, or an upload that reorders batches.',
    'See whether either of the two was retried or unknown.',
  ),
  'offset-gap': page(
    'A pass jumped over offsets that nothing explains.',
    'A missing object or segment that was skipped, or offsets that an engine burns.',
    'See whether an acknowledged record lies in the hole; it is reported as lost as well.',
  ),
  'out-of-range-reset': page(
    'A reader was told OFFSET_OUT_OF_RANGE at an offset that had been served.',
    'A log start or end that moved, or a broker that does not know its own log.',
    'Compare with the snapshots before and after.',
  ),
  phantom: page(
    'A record that nobody sent stands in the log.',
    'Another writer in the topic, a damaged record, or data of another partition or run.',
    'Look at the raw record; declare the topic shared if others may write to it.',
  ),
  'realtime-order': page(
    'A record sent after another was acknowledged stands before it.',
    'Offsets given out twice after a truncation, or a writer with an old view of the end.',
    'Look at leadership between the two.',
  ),
  recovered: page(
    'A record of unknown outcome can be read.',
    'The write arrived and its answer was lost: legal under every contract.',
    'Nothing to do; many of them show how often clients must retry.',
  ),
  'sequence-gap': page(
    'A producer’s records are visible on both sides of one that is not.',
    'A single batch was lost in the middle.',
    'Reported inside lost-write; look there.',
  ),
  'stale-read': page(
    'A record was missing from one pass and there in a later one.',
    'A read from a replica or cache that lagged behind.',
    'A consumer that went past it has skipped it: look at what the first pass read from.',
  ),
  'stuck-consumer': page(
    'A reader could not get to the end that the log itself tells.',
    'An open transaction, a missing object, or a partition that does not answer.',
    'Look at the last stable offset and at fetch errors of that partition.',
  ),
  unavailability: page(
    'A partition was not acknowledged for longer than the bound.',
    'A slow failover, or a client that does not notice it.',
    'See the split into brokers, path and client in the report.',
  ),
  'unknown-absent': page(
    'A record of unknown outcome cannot be read.',
    'The write did not arrive: legal under every contract.',
    'Nothing to do.',
  ),
  unseen: page(
    'An acknowledged record was not looked for: no pass reached its offset.',
    'A replay that ended early.',
    'Read the reason of the pass; replay the run again.',
  ),
  'wrong-partition': page(
    'A record stands in another partition than the one it was sent to.',
    'A broker or client that mixed up requests.',
    'Look at the request in the ledger; repeat with the other client.',
  ),
};
