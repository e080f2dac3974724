// The findings, worst first, each with what a person needs to believe it: where, when, by which rule, examples, and what
// stands around the first of them in the log.
import type { Finding } from '../../ledger/judgement.ts';
import { exampleRuns, spanOf } from '../example-runs.ts';
import type { PartReport } from '../model.ts';
import { grouped, moment } from '../numbers.ts';
import { findingWord, placeOf, rangesText } from '../words.ts';
import { html, type Markup } from './markup.ts';
import { sentences, table } from './tables.ts';

const MOST_FINDINGS = 40;
const MOST_EXAMPLE_ROWS = 12;
/** Findings whose examples are unfolded at once. */
const UNFOLDED = 2;

const toneOf = ({ legal, severity }: Finding): string => {
  if (legal || severity === 'note') return 'plain';
  return severity === 'violation' ? 'bad' : 'doubt';
};

const examplesTable = ({ examples, count }: Finding): Markup | undefined => {
  if (examples.length === 0) return undefined;
  const caption =
    examples.length < count ? `${examples.length} of ${grouped(count)}, first and last kept` : 'All of them';
  const rows = exampleRuns(examples)
    .slice(0, MOST_EXAMPLE_ROWS)
    .map((run) => {
      const { producer, incarnation = 0, ackedAt, detail = '' } = run.first;
      return [
        producer === undefined ? '–' : `${producer}/${incarnation}`,
        spanOf(run, 'seq') ?? '–',
        spanOf(run, 'offset') ?? '–',
        ackedAt === undefined ? '–' : moment(ackedAt),
        detail,
      ];
    });
  const columns = [
    { name: 'Producer' },
    { name: 'Records', numeric: true },
    { name: 'Offsets', numeric: true },
    { name: 'Acked at', numeric: true },
    { name: rows.some((row) => row[4] !== '') ? 'Detail' : '' },
  ];
  return table(caption, columns, rows);
};

const neighboursTable = ({ neighbours = [], examples }: Finding): Markup | undefined => {
  if (neighbours.length === 0) return undefined;
  const [first] = examples;
  const caption = `What the first pass read around offset ${first?.offset ?? neighbours[0]?.offset ?? 0}`;
  return table(
    caption,
    [{ name: 'Offset' }, { name: 'Read there' }],
    neighbours.map(({ offset, what }) => [offset, what]),
  );
};

const findingPanel = (finding: Finding, index: number): Markup => {
  const { anomaly, count, rule, when, duringFaults = [] } = finding;
  const tone = toneOf(finding);
  const ranges = rangesText(finding);
  const examples = examplesTable(finding);
  const neighbours = neighboursTable(finding);
  const isOpen = tone === 'bad' && index < UNFOLDED ? html` open` : undefined;
  return html`<article class="panel edge ${tone}"><div class="row"><h3>${anomaly}</h3><span class="tag">${findingWord(finding)}</span>
<span class="count">× ${grouped(count)}</span><span class="mono">${placeOf(finding)}${ranges === '' ? '' : ` ${ranges}`}</span></div>
<p class="soft">${when === undefined ? '' : `${when.charAt(0).toUpperCase()}${when.slice(1)}. `}Rule: ${rule}.${duringFaults.length === 0 ? '' : ` Faults: ${duringFaults.join(', ')}.`}</p>
${
  examples === undefined && neighbours === undefined
    ? undefined
    : html`<details${isOpen}><summary>Examples and neighbours</summary><div class="beside">${examples}${neighbours}</div></details>`
}</article>`;
};

/** Findings that break or strain the contract as panels; what the contract allows as one table. */
export const findingsSection = ({ findings, inconclusiveBecause, verdict, examined }: PartReport): Markup => {
  const weighty = findings.filter(({ legal, severity }) => !legal && severity !== 'note');
  const allowed = findings.filter((finding) => !weighty.includes(finding));
  const hidden = weighty.length - MOST_FINDINGS;
  const doubt =
    inconclusiveBecause.length === 0
      ? undefined
      : html`<div class="panel edge doubt"><h3>Why the run proves less than it should</h3>${sentences(inconclusiveBecause)}</div>`;
  const none =
    weighty.length === 0 && examined !== undefined
      ? html`<div class="panel edge ${verdict === 'pass' ? 'good' : 'plain'}"><p>Nothing that breaks the contract was found in ${grouped(examined.ok)} acknowledged records${verdict === 'pass' ? '' : ', as far as was looked'}.</p></div>`
      : undefined;
  const legal =
    allowed.length === 0
      ? undefined
      : html`<div class="panel">${table(
          'What the contract allows, counted all the same',
          [{ name: 'Anomaly' }, { name: 'Records', numeric: true }, { name: 'Where' }, { name: 'Rule' }],
          allowed
            .slice(0, MOST_FINDINGS)
            .map((finding) => [
              finding.anomaly,
              grouped(finding.count),
              `${placeOf(finding)} ${rangesText(finding)}`,
              finding.rule,
            ]),
        )}</div>`;
  return html`<section aria-labelledby="findings"><h2 id="findings">Findings</h2>
${doubt}${weighty.slice(0, MOST_FINDINGS).map(findingPanel)}${hidden > 0 ? html`<p class="soft">${hidden} more are in report.json.</p>` : undefined}${none}${legal}</section>`;
};
