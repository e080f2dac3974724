// The sections about the run as a whole: with and without the fault, bounds, replay, evidence by boundary, what it shows and
// leaves open, the contract it was judged by, and how to do it again.
import type { PartReport, ReportModel } from '../model.ts';
import { bytes, duration, grouped, moment } from '../numbers.ts';
import { ownershipText, partName, placeText, sourceText } from '../words.ts';
import { html, type Markup } from './markup.ts';
import { factList, sentences, table } from './tables.ts';

const number = (name: string): { name: string; numeric: true } => ({ name, numeric: true });

const longestGap = ({ availability }: PartReport): string =>
  availability.length === 0 ? '–' : duration(Math.max(...availability.map(({ longestGapMs }) => longestGapMs)));

/** Acknowledged records a second over the load, and the usual and the slow acknowledgement; the median of the buckets. */
const loadFigures = ({ load }: PartReport): readonly string[] => {
  if (load === undefined) return ['–', '–', '–'];
  const acked = load.buckets.reduce((sum, bucket) => sum + bucket.acked, 0);
  const middle = (values: readonly number[]): string => {
    const sorted = [...values].sort((one, other) => one - other);
    const value = sorted[Math.floor(sorted.length / 2)];
    return value === undefined ? '–' : duration(value);
  };
  const rate = (acked * 1000) / (load.buckets.length * load.bucketMs);
  return [
    grouped(rate),
    middle(load.buckets.flatMap(({ p50Ms }) => p50Ms ?? [])),
    middle(load.buckets.flatMap(({ p99Ms }) => p99Ms ?? [])),
  ];
};

const partsTable = ({ parts, baseline }: ReportModel): Markup =>
  table(
    baseline ? 'The load, part by part' : 'The same load with and without the fault',
    [
      { name: 'Part' },
      { name: 'Verdict' },
      number('Acked'),
      number('Unknown'),
      number('Acked/s'),
      number('p50'),
      number('p99'),
      number('Longest gap'),
    ],
    parts.map((part) => [
      partName(part, baseline),
      part.verdict ?? 'none',
      part.examined === undefined ? '–' : grouped(part.examined.ok),
      part.examined === undefined ? '–' : grouped(part.examined.unknown),
      ...loadFigures(part),
      longestGap(part),
    ]),
  );

const boundsTable = ({ bounds }: PartReport): Markup | undefined =>
  bounds.length === 0
    ? undefined
    : table(
        'Bounds, beside the verdict and never mixed with it',
        [{ name: 'Bound' }, number('Limit'), number('Measured'), { name: 'State' }, { name: 'Where' }],
        bounds.map(({ name, limitMs, measuredMs, state, where }) => [
          name,
          duration(limitMs),
          measuredMs === undefined ? '–' : duration(measuredMs),
          state,
          where,
        ]),
      );

const passTable = ({ passes }: PartReport): Markup | undefined =>
  passes.length === 0
    ? undefined
    : table(
        'Replay passes, each by a fresh consumer; sources where the target tells them',
        [
          { name: 'Pass' },
          { name: 'Client' },
          number('Records'),
          number('Took'),
          number('From objects'),
          number('From WAL'),
          number('From cache'),
          number('Proved cold'),
        ],
        passes.map(({ pass, client, records, ms, sources, coldOffsets }) => [
          pass,
          client,
          grouped(records),
          duration(ms),
          sources === undefined ? '–' : bytes(sources.objectBytes),
          sources === undefined ? '–' : bytes(sources.walBytes),
          sources === undefined ? '–' : bytes(sources.cacheBytes),
          coldOffsets === undefined ? '–' : `${grouped(coldOffsets)} offsets`,
        ]),
      );

export const measuresSection = (model: ReportModel, part: PartReport | undefined): Markup =>
  html`<section aria-labelledby="measures"><h2 id="measures">Measured</h2>
<div class="panel">${partsTable(model)}</div>
${[part && boundsTable(part), part && passTable(part)].map((one) => (one === undefined ? undefined : html`<div class="panel">${one}</div>`))}</section>`;

export const statementsSection = ({ proves, leavesOpen, recoveryPoint, recoveryTime }: ReportModel): Markup =>
  html`<section aria-labelledby="says"><h2 id="says">What this run shows, and what it leaves open</h2>
<div class="pair"><div class="panel edge good"><h3>Shown</h3>${sentences([...proves, `Recovery point. ${recoveryPoint}`, `Recovery time. ${recoveryTime}`])}</div>
<div class="panel edge doubt"><h3>Left open</h3>${sentences(leavesOpen)}</div></div></section>`;

export const boundariesSection = ({ boundaries }: ReportModel): Markup =>
  html`<section aria-labelledby="boundaries"><h2 id="boundaries">Evidence by boundary</h2><div class="panel">${table(
    'What this run holds at each place a record passes',
    [{ name: 'Boundary' }, { name: 'Question' }, { name: 'State' }, { name: 'Evidence, source by source' }],
    boundaries.map(({ boundary, question, state, sources }) => [
      boundary,
      question,
      state,
      sources.length === 0
        ? html`<span class="soft">no source was there to ask</span>`
        : sentences(sources.map(sourceText)),
    ]),
  )}</div></section>`;

/** What the cluster said of itself, and the gate on ownership; nothing where neither is there. */
export const changesSection = (part: PartReport | undefined): Markup | undefined => {
  if (part === undefined || (part.changes.length === 0 && part.ownership === undefined)) return undefined;
  const { changes, ownership } = part;
  const rows = changes.map(({ at, source, what, text, place }) => [
    moment(at),
    source,
    what,
    html`${text}${place === undefined ? undefined : html` <span class="soft">${placeText(place)}</span>`}`,
  ]);
  const columns = [{ name: 'At' }, { name: 'Told by' }, { name: 'What' }, { name: 'In its words' }];
  return html`<section aria-labelledby="told"><h2 id="told">What the cluster told of itself</h2>
${ownership === undefined ? undefined : html`<div class="panel"><p>Ownership gate: ${ownershipText(ownership)}</p></div>`}
${rows.length === 0 ? undefined : html`<div class="panel">${table('Changes while the part went on; what was so from the beginning is left out', columns, rows)}</div>`}</section>`;
};

const contractFacts = ({ contract }: ReportModel): readonly (readonly [string, string])[] => [
  ['acks', String(contract.acks)],
  ['idempotence', contract.idempotence ? 'on' : 'off'],
  ['min in-sync replicas', String(contract.minInSyncReplicas)],
  ['boundary', contract.boundary],
  ['survives', contract.survives.length === 0 ? 'nothing' : contract.survives.join(', ')],
  ['delivery timeout', duration(contract.deliveryTimeoutMs)],
  ['unclean election', contract.uncleanLeaderElection ? 'allowed' : 'off'],
  [
    'allowed',
    contract.allow.map(({ anomaly, because }) => `${anomaly} (${because})`).join('; ') || 'nothing beyond the settings',
  ],
  ['forbidden', contract.forbid.join(', ') || 'nothing beyond the settings'],
];

const settings = (title: string, facts: readonly (readonly [string, string])[]): Markup =>
  html`<div class="panel"><h3>${title}</h3>${factList(facts)}</div>`;

export const setupSection = (model: ReportModel): Markup => {
  const { workload, target, environment, scenario, runId } = model;
  return html`<section aria-labelledby="setup"><h2 id="setup">What was run, and against what</h2><div class="pair">
${settings('Contract: what an acknowledgement means here', contractFacts(model))}
${settings('Workload', Object.entries(workload))}
${settings('Target', [['kind', target.kind], ...Object.entries(target.fingerprint)])}
${settings('Run', [['run', runId], ['scenario file', scenario.file], ['scenario digest', scenario.digest], ...Object.entries(environment), ['judge', model.judgeVersion ?? 'none']])}
</div></section>`;
};

export const reproduceSection = ({ reproduce }: ReportModel): Markup =>
  html`<section aria-labelledby="again"><h2 id="again">Reproduce</h2><div class="panel commands">
<p>Run it again:</p><code>${reproduce.run}</code><p>Judge the recorded files again, on any machine, without a cluster:</p><code>${reproduce.judge}</code></div></section>`;
