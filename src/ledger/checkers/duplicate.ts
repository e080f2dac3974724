// Records that stand at two or more places in one pass. Proved: the log holds it twice. Whether that is the broker's doing
// depends on who may have sent it again: a client that retried, or (idempotent) one that came back under a new producer id.
import { illegal, legal, type Ruling } from '../legality.ts';
import type { PartitionView } from '../partition-view.ts';
import type { ReadRun } from '../run-facts.ts';
import { forEachSuspect, type Sighting, type SuspectRecord } from '../sightings.ts';
import { type Checker, exampleOf } from './checker.ts';

/** Sightings of one pass, one for each place. */
const placesByPass = (record: SuspectRecord): Sighting[][] => {
  const passes = new Map<number, Map<string, Sighting>>();
  for (const sighting of record.sightings) {
    const places = passes.get(sighting.pass) ?? new Map<string, Sighting>();
    passes.set(sighting.pass, places.set(`${sighting.partition} ${sighting.offset}`, sighting));
  }
  return [...passes.values()].map((places) => [...places.values()]).filter((places) => places.length > 1);
};

/** Nothing tells the two copies' producers apart. */
const mayShare = (one: ReadRun, other: ReadRun): boolean => {
  if (one.producerId === undefined || other.producerId === undefined) return true;
  if (one.producerId !== other.producerId) return false;
  return (
    one.producerEpoch === undefined || other.producerEpoch === undefined || one.producerEpoch === other.producerEpoch
  );
};

const anyShare = (places: readonly Sighting[]): boolean =>
  places.some((one, index) => places.slice(index + 1).some((other) => mayShare(one.read, other.read)));

const ruleOnDuplicate = (view: PartitionView, record: SuspectRecord): Ruling => {
  if (view.contract.idempotence) return illegal('idempotence is on');
  const { run } = record.sent;
  return run.tainted || run.outcome !== 'ok'
    ? legal('it may have been sent twice, and idempotence is off')
    : illegal('it was sent once');
};

export const duplicate: Checker<'duplicate'> = {
  kind: 'duplicate',
  detects: ['duplicate', 'duplicate-client'],
  summary: 'Every record stands in the log once.',
  check: (view, report) => {
    forEachSuspect(view, (record) => {
      if (record.sightings.length < 2) return;
      const passes = placesByPass(record);
      if (passes.length === 0) return;
      const { run } = record.sent;
      const maybeResent = run.tainted || run.outcome !== 'ok';
      const places = passes[0]?.map(({ partition, offset }) => `${partition}@${offset}`).join(', ');
      const example = exampleOf(record, `stands at partition@offset ${places}`);
      if (view.contract.idempotence && maybeResent && !passes.some(anyShare)) {
        report.found({
          anomaly: 'duplicate-client',
          ruling: legal('the client sent it again as another producer'),
          example,
        });
      } else {
        report.found({ anomaly: 'duplicate', ruling: ruleOnDuplicate(view, record), example });
      }
    });
  },
};
