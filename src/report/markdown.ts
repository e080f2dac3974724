// The report as Markdown, for a pull request, a ticket or a CI summary. No text of the run can format it.
import { markdownText } from './escape.ts';
import { MARK_LETTERS } from './evidence-marks.ts';
import { mainPart, type PartReport, type ReportModel } from './model.ts';
import { bytes, grouped, moment } from './numbers.ts';
import {
  boundText,
  capacityText,
  costTexts,
  examinedText,
  faultTimes,
  faultTitle,
  findingWord,
  gateText,
  healWord,
  keptText,
  lateText,
  outageText,
  ownershipText,
  partName,
  passText,
  placeOf,
  placeText,
  proofWord,
  rangesText,
  sharesText,
  sourceText,
  targetText,
  usageName,
} from './words.ts';

const MOST_ROWS = 20;

/** A code span that no text can close; line ends are shown, so that it stays on its line. */
const code = (text: string): string => `<code>${markdownText(text)}</code>`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const more = rows.length > MOST_ROWS ? ['', `${rows.length - MOST_ROWS} more are in report.html.`] : [];
  return [line(head), line(head.map(() => '---')), ...rows.slice(0, MOST_ROWS).map(line), ...more];
};

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

const bullets = (texts: readonly string[]): string[] => texts.map((text) => `- ${markdownText(text)}`);

const findingRows = ({ findings }: PartReport): string[][] =>
  findings.map((finding) =>
    [
      findingWord(finding),
      finding.anomaly,
      String(finding.count),
      `${placeOf(finding)} ${rangesText(finding)}`,
      finding.when ?? '',
      finding.rule,
    ].map(markdownText),
  );

const faultRows = ({ faults }: PartReport): string[][] =>
  faults.map((fault) => {
    const marks = fault.evidence.map(
      ({ kind, holds, seen }) => `${MARK_LETTERS[kind]} ${holds ? 'shown' : 'not shown'}: ${seen}`,
    );
    const reason = fault.reason === undefined ? '' : `: ${fault.reason}`;
    return [
      fault.chosen === '' ? faultTitle(fault) : `${faultTitle(fault)} (${fault.chosen})`,
      `${proofWord(fault)}, ${healWord(fault)}${reason}`,
      [faultTimes(fault), lateText(fault), capacityText(fault)].filter((text) => text !== '').join('; '),
      marks.join('; '),
      fault.ackedInWindow === undefined ? '' : String(fault.ackedInWindow),
    ].map(markdownText);
  });

const outageRows = ({ outages }: PartReport): string[][] =>
  outages.map((outage) =>
    [placeOf(outage), outage.faultId, moment(outage.from), outageText(outage), sharesText(outage)].map(markdownText),
  );

const partSections = (part: PartReport): string[] => [
  ...section('Why it proves less than it should', bullets(part.inconclusiveBecause)),
  ...section('Findings', table(['', 'Anomaly', 'Records', 'Where', 'When', 'Rule'], findingRows(part))),
  ...section('Faults', table(['Fault', 'State', 'Times', 'Evidence', 'Acked inside'], faultRows(part))),
  ...section('Outages', table(['Partition', 'Fault', 'From', 'Length', 'Shares'], outageRows(part))),
  ...section('Bounds', bullets(part.bounds.map(boundText))),
  ...section('Examined', bullets([examinedText(part), ...part.passes.map(passText)])),
];

const boundaryRows = ({ boundaries }: ReportModel): string[][] =>
  boundaries.map(({ boundary, state, sources }) =>
    [boundary, state, sources.map(sourceText).join('; ')].map(markdownText),
  );

const changeRows = ({ changes }: PartReport): string[][] =>
  changes.map(({ at, source, what, text, place }) =>
    [moment(at), source, what, place === undefined ? text : `${text} (${placeText(place)})`].map(markdownText),
  );

const gateRows = ({ gates = [] }: PartReport): string[][] =>
  gates.flatMap(({ gate, cells }) =>
    cells.map(({ item, state, detail }) => [gate, item, state, detail].map(markdownText)),
  );

const usageRows = ({ usage }: PartReport): string[][] =>
  (usage?.requests ?? []).map((row) =>
    [usageName(row), grouped(row.requests), bytes(row.requestBytes), bytes(row.responseBytes)].map(markdownText),
  );

/** What was seen of the object store, and what of it can be priced. */
const storageSections = (part: PartReport): string[] => {
  const { gates = [], usage } = part;
  const kept = usage === undefined ? '' : keptText(usage);
  return [
    ...section('Gates on storage', bullets(gates.map(gateText))),
    ...section('Storage, cell by cell', table(['Gate', 'What', 'State', 'Detail'], gateRows(part))),
    ...section('What the store was asked', table(['Requests', 'Count', 'Bytes in', 'Bytes out'], usageRows(part))),
    ...section('What it keeps', bullets(kept === '' ? [] : [kept])),
    ...section('What that costs', bullets(usage?.cost === undefined ? [] : costTexts(usage.cost))),
  ];
};

const toldSections = (part: PartReport): string[] => [
  ...section(
    'Ownership',
    part.ownership === undefined ? [] : bullets([`Ownership gate: ${ownershipText(part.ownership)}`]),
  ),
  ...section('What the cluster told of itself', table(['At', 'Told by', 'What', 'In its words'], changeRows(part))),
];

const partRows = ({ parts, baseline }: ReportModel): string[][] =>
  parts.map((part) => [partName(part, baseline), part.verdict ?? 'no verdict', part.because ?? ''].map(markdownText));

export const renderMarkdown = (model: ReportModel): string => {
  const { scenario, target, seed, defects, outcome, reproduce } = model;
  const part = mainPart(model);
  const exit = outcome.exitCode === undefined ? '' : `, exit ${outcome.exitCode}`;
  const result = `verdict ${outcome.verdict}, bounds ${outcome.bounds ?? 'not judged'}, heal ${outcome.heal}, ended ${outcome.ended}${exit}`;
  return [
    `# ${markdownText(model.headline)}`,
    '',
    `> ${markdownText(scenario.claim)}`,
    '',
    ...bullets([
      `scenario ${scenario.name}, target ${targetText(target)}, seed ${seed}`,
      result,
      ...(defects.length === 0 ? [] : [`defects switched on: ${defects.join(', ')}`]),
      model.recoveryPoint,
      model.recoveryTime,
    ]),
    ...section('Errors', bullets(outcome.errors)),
    ...(part === undefined ? [] : partSections(part)),
    ...section('With and without the fault', table(['Part', 'Verdict', 'Reason'], partRows(model))),
    ...section('What this run shows', bullets(model.proves)),
    ...section('What it leaves open', bullets(model.leavesOpen)),
    ...section('Evidence by boundary', table(['Boundary', 'State', 'Source by source'], boundaryRows(model))),
    ...(part === undefined ? [] : [...storageSections(part), ...toldSections(part)]),
    ...section('Reproduce', [`- ${code(reproduce.run)}`, `- ${code(reproduce.judge)}`]),
    '',
  ].join('\n');
};
