// The lanes of the timeline: one for each partition, with its outages cut into the shares of brokers, path and client, and a
// tick for each change of leader. The shares stand in this order for reading; within an outage they may have alternated.
import type { Finding } from '../../ledger/judgement.ts';
import type { LeaderChange, OutageReport, PartReport } from '../model.ts';
import { grouped, moment } from '../numbers.ts';
import { outageText, placeOf, rangesText, sharesText } from '../words.ts';
import type { Frame } from './frame.ts';
import { html, type Markup } from './markup.ts';

export const LANE_HEIGHT = 26;
const MOST_LANES = 24;
const BAR = 12;
const LETTER_WIDTH = 5.6;

interface Lane {
  readonly topic: string;
  readonly partition: number;
  readonly outages: readonly OutageReport[];
  readonly leaders: readonly LeaderChange[];
  /** Findings that break the contract. */
  readonly broken: readonly Finding[];
}

/** The lanes to draw, those with outages first where there are too many for all. */
export const lanesOf = ({ availability, outages, leaders, findings }: PartReport): readonly Lane[] => {
  const lanes = availability.map(({ topic, partition }) => {
    const here = (one: { readonly topic: string; readonly partition: number }): boolean =>
      one.topic === topic && one.partition === partition;
    const broken = findings.filter(({ legal, severity }) => !legal && severity === 'violation').filter(here);
    return { topic, partition, outages: outages.filter(here), leaders: leaders.filter(here), broken };
  });
  if (lanes.length <= MOST_LANES) return lanes;
  const interesting = ({ broken, outages: away, leaders: led }: Lane): number =>
    broken.length * 1_000_000 + away.length * 1000 + led.length;
  return [...lanes]
    .sort((one, other) => interesting(other) - interesting(one) || one.partition - other.partition)
    .slice(0, MOST_LANES)
    .sort((one, other) => one.partition - other.partition);
};

const outageBar = (outage: OutageReport, frame: Frame, y: number, loadEnd: number): Markup => {
  const { from, to = loadEnd, shares } = outage;
  const pieces: readonly (readonly [string, number])[] =
    shares === undefined
      ? [['away', to - from]]
      : [
          ['brokers', shares.brokersMs],
          ['path', shares.pathMs],
          ['client', shares.clientMs],
        ];
  let at = from;
  const bars = pieces.flatMap(([name, ms]) => {
    if (ms <= 0) return [];
    const x = frame.x(at);
    at += ms;
    const width = Math.max(1, frame.x(Math.min(at, frame.until)) - x);
    return [html`<rect class="${name}" x="${x}" y="${y - BAR / 2}" width="${width.toFixed(1)}" height="${BAR}"/>`];
  });
  const split = sharesText(outage);
  return html`<g><title>${placeOf(outage)} away ${outageText(outage)} from ${moment(from)}${split === '' ? '' : `: ${split}`}</title>${bars}</g>`;
};

const leaderName = ({ leader, epoch }: LeaderChange): string =>
  leader < 0 ? `none, epoch ${epoch}` : `broker ${leader}, epoch ${epoch}`;

const leaderTicks = (lane: Lane, frame: Frame, y: number): Markup[] => {
  let free = Number.NEGATIVE_INFINITY;
  return lane.leaders.map((change) => {
    const x = frame.x(change.at);
    const text = leaderName(change);
    const width = text.length * LETTER_WIDTH;
    const place = Math.min(x + 4, frame.right - width);
    const shown = place > free;
    if (shown) free = place + width + 4;
    return html`<g><title>${placeOf(change)}: leader ${text} from ${moment(change.at)}</title>
<line class="leader" x1="${x}" x2="${x}" y1="${y - 10}" y2="${y + 8}"/>${shown ? html`<text class="halo" x="${place.toFixed(1)}" y="${y - 3}">${text}</text>` : undefined}</g>`;
  });
};

/** Crosses closer than this would be one blot. */
const CROSS_STEP = 3;

/** Where the examples of a finding were acknowledged. */
const crosses = (finding: Finding, frame: Frame, y: number): Markup => {
  let free = Number.NEGATIVE_INFINITY;
  const places = finding.examples
    .flatMap(({ ackedAt }) => (ackedAt === undefined ? [] : [frame.x(ackedAt)]))
    .sort((one, other) => one - other)
    .filter((x) => {
      const shown = x > free;
      if (shown) free = x + CROSS_STEP;
      return shown;
    });
  return html`<g><title>${finding.anomaly} × ${grouped(finding.count)} in ${placeOf(finding)} ${rangesText(finding)}</title>
${places.map((x) => html`<path class="broken" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8"/>`)}</g>`;
};

/** One lane; `loadEnd` is when the load ended, in milliseconds. */
export const partitionLane = (lane: Lane, frame: Frame, y: number, loadFrom: number, loadEnd: number): Markup => {
  const name = placeOf(lane);
  const short = name.length > 12 ? `…${name.slice(-11)}` : name;
  return html`<text x="${frame.left - 8}" y="${y + 8}" text-anchor="end">${short}</text>
<line class="lane" x1="${frame.x(loadFrom)}" x2="${frame.x(loadEnd)}" y1="${y + 5}" y2="${y + 5}"/>
${lane.outages.map((outage) => outageBar(outage, frame, y + 5, loadEnd))}${leaderTicks(lane, frame, y)}
${lane.broken.map((finding) => crosses(finding, frame, y + 5))}`;
};
