import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../test/support/text-history.ts';
import { judgeText } from './judge.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the judge says of the one finding of its kind: legal or illegal, and the verdict. */
const ruling = (history: TextHistory, anomaly = 'lost-tail'): string => {
  const { findings, verdict } = judgeText(history.text);
  const found = findings.filter((finding) => finding.anomaly === anomaly);
  return `${found.map(({ legal }) => (legal ? 'legal' : 'illegal')).join(' ')} ${verdict}`.trim();
};

/** Two records acknowledged; the second is cut off. `before` and `after` stand around its acknowledgement. */
const cut = (
  contract: Fields,
  around: {
    before?: (history: TextHistory) => void;
    after?: (history: TextHistory) => void;
    topic?: Fields;
    ack?: Fields;
  },
): TextHistory => {
  const history = new TextHistory(contract, around.topic);
  around.before?.(history);
  history.acked(0, 1, 0).acked(1, 1, 1, around.ack);
  around.after?.(history);
  return history.read(1, 0, 0, 1).pass(1, 0, 1);
};
const leader =
  (id: number, epoch = -1) =>
  (history: TextHistory) => {
    history.line('leader', { leader: id, epoch });
  };

describe('what makes a loss legal', () => {
  const moved = { before: leader(1), after: leader(2) };

  it('at acks=1 a new leader after the ack, at acks=all with two in-sync replicas nothing', () => {
    expect(ruling(cut({ acks: 1 }, moved))).toBe('legal pass');
    expect(ruling(cut({ acks: 'all', minInSyncReplicas: 2 }, moved))).toBe('illegal fail');
    expect(ruling(cut({ acks: 'all', minInSyncReplicas: 1 }, moved))).toBe('legal pass');
    expect(ruling(cut({ acks: 'all', uncleanLeaderElection: true }, moved))).toBe('legal pass');
  });

  it('no boundary behind the brokers, and not one replica', () => {
    for (const boundary of ['wal', 'object']) expect(ruling(cut({ acks: 1, boundary }, moved))).toBe('illegal fail');
    expect(ruling(cut({ acks: 1 }, { ...moved, topic: { replicationFactor: 1 } }))).toBe('illegal fail');
  });

  it('not the first leader that anybody saw, nor the same one again', () => {
    expect(ruling(cut({ acks: 1 }, { after: leader(1) }))).toBe('illegal fail');
    expect(ruling(cut({ acks: 1 }, { before: leader(1), after: leader(1) }))).toBe('illegal fail');
  });

  it('a new leader at most the delivery timeout before the ack, and not a moment longer', () => {
    const earlier = (deliveryTimeout: number): TextHistory =>
      cut(
        { acks: 1, deliveryTimeout },
        {
          before: (history) => {
            leader(1)(history);
            leader(2)(history);
          },
        },
      );
    // Lines come every 10 ms: the leader at 20, the ack of the lost record at 60.
    expect(ruling(earlier(40))).toBe('legal pass');
    expect(ruling(earlier(39))).toBe('illegal fail');
  });

  it('with an epoch in the ack only a higher epoch, wherever it is named', () => {
    const ack = { epoch: 5 };
    expect(ruling(cut({ acks: 1 }, { before: leader(1, 5), after: leader(2, 5), ack }))).toBe('illegal fail');
    expect(ruling(cut({ acks: 1 }, { before: leader(1, 5), after: leader(1, 6), ack }))).toBe('legal pass');
  });

  it('is in doubt, and the run inconclusive, where leadership was not recorded', () => {
    expect(ruling(cut({ acks: 1 }, {}))).toBe('legal inconclusive');
  });

  it('counts a node-loss only of enough nodes, after the ack, and with the leader', () => {
    const lost = (victims: readonly number[] | undefined) => (history: TextHistory) => {
      for (const edge of ['intent', 'applied', 'confirmed']) {
        history.line('fault', { fault: 'node-loss', edge, ...(victims === undefined ? {} : { victims }) });
      }
    };
    const after = (victims: readonly number[] | undefined) => ({ before: leader(1), after: lost(victims) });
    expect(ruling(cut({}, after([1, 2])))).toBe('legal pass');
    expect(ruling(cut({}, after([1])))).toBe('illegal fail');
    expect(ruling(cut({}, after([2, 3])))).toBe('illegal fail');
    expect(ruling(cut({}, after([])))).toBe('illegal fail');
    expect(ruling(cut({}, after(undefined)))).toBe('legal inconclusive');
    expect(ruling(cut({}, { after: lost([1, 2]) }))).toBe('legal inconclusive');
    const nobody = (history: TextHistory) => [leader(1), leader(-1)].forEach((add) => add(history));
    expect(ruling(cut({}, { before: nobody, after: lost([2, 3]) }))).toBe('legal inconclusive');
    expect(ruling(cut({ survives: ['node-loss'] }, after([1, 2])))).toBe('illegal fail');
    const before = { before: (history: TextHistory) => [leader(1), lost([1, 2])].forEach((add) => add(history)) };
    expect(ruling(cut({}, before))).toBe('illegal fail');
  });
});

describe('allowances and prohibitions', () => {
  it('an allowance makes legal what nothing else does, and says why', () => {
    const history = cut({ allow: [{ anomaly: 'lost-tail', because: 'known defect 18' }] }, {});
    expect(ruling(history)).toBe('legal pass');
    expect(judgeText(history.text).findings[0]?.rule).toBe('allowed: known defect 18');
  });

  it('a prohibition makes a violation of what would be legal or a degradation', () => {
    expect(ruling(cut({ acks: 1, forbid: ['lost-tail'] }, { before: leader(1), after: leader(2) }))).toBe(
      'illegal fail',
    );
    const hole = new TextHistory({ forbid: ['offset-gap'] }).acked(0, 1, 0).acked(1, 1, 2);
    expect(ruling(hole.read(1, 0, 0, 1).read(1, 2, 1, 1).pass(1, 0, 3), 'offset-gap')).toBe('illegal fail');
  });

  it('an allowance lifts no doubt', () => {
    const doubtful = cut({ acks: 1, allow: [{ anomaly: 'lost-tail', because: 'x' }] }, {});
    expect(ruling(doubtful)).toBe('legal inconclusive');
  });
});

describe('what the log start may take', () => {
  const prefix = (config: Fields, contract: Fields = {}): string => {
    const history = new TextHistory(contract, { config });
    history.line('offsets', { when: 'baseline', earliest: 0, latest: 0 }).acked(0, 1, 0).acked(1, 1, 1);
    history.line('offsets', { when: 'after-producers', earliest: 1, latest: 2 });
    return ruling(history.read(1, 1, 1, 1).pass(1, 1, 2), 'lost-prefix');
  };

  it('needs a declaration', () => {
    expect(prefix({})).toBe('illegal fail');
    expect(prefix({}, { deleteRecords: true })).toBe('legal pass');
    expect(prefix({ 'retention.bytes': '1024' })).toBe('legal pass');
    expect(prefix({ 'retention.bytes': -1 })).toBe('illegal fail');
    expect(prefix({ 'cleanup.policy': 'compact,delete' })).toBe('legal pass');
    expect(prefix({ 'cleanup.policy': 'compact' }, { uniqueKeys: true })).toBe('illegal fail');
  });

  it('counts retention.ms from the send to the last snapshot, to the millisecond', () => {
    // Sent at 20, the last snapshot at 60.
    expect(prefix({ 'retention.ms': '40' })).toBe('legal pass');
    expect(prefix({ 'retention.ms': 41 })).toBe('illegal fail');
    expect(prefix({ 'retention.ms': -1 })).toBe('illegal fail');
  });
});
