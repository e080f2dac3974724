// The top of the page: the reason for the verdict before anything else, then the claim, then the five facts that say which
// run this is, and the figures that everybody asks for.
import type { Examined } from '../../ledger/judgement.ts';
import { headlineParts, type Tone } from '../headline.ts';
import { mainPart, type PartReport, type ReportModel } from '../model.ts';
import { duration, grouped, plural } from '../numbers.ts';
import { notAttempted, targetText } from '../words.ts';
import { html, type Markup } from './markup.ts';

const fact = (name: string, value: string): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** `29 Nov 2026 20:25 UTC` would need a calendar; the stamp is shown as it is written, to the second. */
const stamp = (wall: string): string => wall.replace('T', ' ').replace(/\.\d+Z$/u, ' UTC');

export const banner = (model: ReportModel): Markup => {
  const { word, tone, reason } = headlineParts(model);
  const { scenario, target, outcome, seed, defects, wallStart, tool } = model;
  return html`<header class="${tone}"><div>
<h1><b>${word}</b> ${reason}</h1>
<p class="claim">${scenario.claim}</p>
<dl class="facts">${[
    fact('Scenario', scenario.name),
    fact('Target', targetText(target)),
    ...(defects.length === 0 ? [] : [fact('Defects switched on', defects.join(', '))]),
    fact('Started', stamp(wallStart)),
    fact('Seed', String(seed)),
    fact('Verdict', outcome.verdict),
    fact('Bounds', outcome.bounds ?? 'not judged'),
    fact('Heal', outcome.heal),
    fact('Ended', outcome.ended),
    ...(outcome.exitCode === undefined ? [] : [fact('Exit code', String(outcome.exitCode))]),
    fact('By', `${tool.name} ${tool.version}`),
  ]}</dl>
</div></header>`;
};

const tile = (name: string, value: string, note: string, tone?: Tone): Markup =>
  html`<div class="${tone === undefined ? 'plain' : `tinted ${tone}`}"><dt>${name}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`;

const LOST: ReadonlySet<string> = new Set(['lost-write', 'lost-tail', 'lost-prefix', 'log-reset']);

const lostTile = ({ findings, verdict }: PartReport): Markup => {
  const lost = findings.filter(({ anomaly }) => LOST.has(anomaly));
  const illegal = lost.filter(({ legal }) => !legal).reduce((sum, { count }) => sum + count, 0);
  const excused = lost.filter(({ legal }) => legal).reduce((sum, { count }) => sum + count, 0);
  const note = excused > 0 ? `and ${grouped(excused)} as the contract allows` : 'acknowledged and not found again';
  if (illegal > 0) return tile('Lost', grouped(illegal), note, 'bad');
  return verdict === 'pass'
    ? tile('Lost', '0', note, 'good')
    : tile('Lost', 'none found', 'and not proved to be none', 'doubt');
};

const outageTile = (part: PartReport): Markup => {
  const { outages, faults } = part;
  if (faults.every(({ appliedAt }) => appliedAt === undefined)) return tile('Longest outage', '–', 'no fault acted');
  const never = outages.find(({ to }) => to === undefined);
  if (never !== undefined)
    return tile('Longest outage', 'no end', `partition ${never.partition} did not recover`, 'bad');
  const unattempted = notAttempted(part);
  if (unattempted !== undefined) return tile('Longest outage', 'not known', unattempted, 'doubt');
  const [worst] = [...outages].sort((one, other) => (other.ms ?? 0) - (one.ms ?? 0));
  if (worst?.ms === undefined) return tile('Longest outage', 'none', 'no partition was silent beyond its jitter');
  return tile('Longest outage', duration(worst.ms), `partition ${worst.partition}, as the load saw it`);
};

/** The load's own records, and those of the probe lanes beside them. */
const acknowledgedTile = (examined: Examined, { load }: PartReport): Markup => {
  const buckets = load?.buckets ?? [];
  const acked = buckets.reduce((sum, bucket) => sum + bucket.acked, 0);
  const sent = buckets.reduce((sum, bucket) => sum + bucket.acked + bucket.unknown + bucket.failed, 0);
  const probes = examined.sent - sent;
  if (sent === 0 || probes <= 0) {
    return tile('Acknowledged', grouped(examined.ok), `of ${grouped(examined.sent)} records sent`);
  }
  const beside = `and ${grouped(examined.ok - acked)} of ${grouped(probes)} by probes`;
  return tile('Acknowledged', grouped(acked), `of ${grouped(sent)} records of the load, ${beside}`);
};

/** The figures of the fault run, or of the part at which the run stopped. */
export const tiles = (model: ReportModel): Markup | undefined => {
  const part = mainPart(model);
  const examined = part?.examined;
  if (part === undefined || examined === undefined) return undefined;
  const inside = part.faults.reduce((sum, { ackedInWindow = 0 }) => sum + ackedInWindow, 0);
  return html`<dl class="tiles">${[
    acknowledgedTile(examined, part),
    lostTile(part),
    tile('Unknown outcome', grouped(examined.unknown), 'no answer; may be there or not'),
    ...(part.faults.length === 0 ? [] : [tile('Acked under fault', grouped(inside), 'between applied and healing')]),
    outageTile(part),
    tile('Read back', grouped(examined.read), `in ${plural(examined.passes, 'pass', 'passes')}`),
  ]}</dl>`;
};
