// The report for a terminal: the reason first, then what a person at three in the morning asks next, in at most forty lines.
// Colour only repeats what the words say.
import { COLOURS, type Paint, painter } from './colours.ts';
import { visible } from './escape.ts';
import { MARK_LETTERS } from './evidence-marks.ts';
import { headlineParts } from './headline.ts';
import { mainPart, type PartReport, type RenderOptions, type ReportModel } from './model.ts';
import { duration, moment, plural } from './numbers.ts';
import {
  boundText,
  capacityText,
  examinedText,
  faultTimes,
  faultTitle,
  findingWord,
  healWord,
  lateText,
  outageText,
  PART_NAMES,
  passText,
  placeOf,
  proofWord,
  rangesText,
  sharesText,
  targetText,
} from './words.ts';

export const MOST_LINES = 40;

const LABEL_WIDTH = 12;
const NARROWEST = 40;
const WIDEST = 120;

const lengthOf = (text: string): number => Array.from(text).length;

/** Words of `text` on lines of at most `width` characters; a longer word stands alone and is cut into pieces. */
const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    while (lengthOf(line) > width) {
      const letters = Array.from(line);
      lines.push(letters.slice(0, width).join(''));
      line = letters.slice(width).join('');
    }
  }
  return [...lines, line];
};

interface Section {
  readonly label: string;
  /** Not escaped; one paragraph each. */
  readonly texts: readonly string[];
  readonly mostTexts?: number;
  readonly mostLines?: number;
}

/** As many whole paragraphs as there is room for, and how many more there are; only one that alone is too long is cut. */
const fitted = (
  paragraphs: readonly (readonly string[])[],
  mostTexts: number,
  mostLines: number,
): readonly string[] => {
  const fits = (count: number): boolean => {
    const more = count < paragraphs.length ? 1 : 0;
    return count <= mostTexts && paragraphs.slice(0, count).flat().length + more <= mostLines;
  };
  let count = paragraphs.length;
  while (count > 1 && !fits(count)) count--;
  const hidden = paragraphs.length - count;
  const more = hidden === 0 ? [] : [`and ${hidden} more`];
  const room = Math.max(1, mostLines - more.length);
  const all = paragraphs.slice(0, count).flat();
  return [...(all.length > room ? [...all.slice(0, Math.max(1, room - 1)), '…'] : all), ...more];
};

const sectionLines = (section: Section, width: number, paint: Paint): string[] => {
  const { label, texts, mostTexts = 4, mostLines = 6 } = section;
  if (texts.length === 0) return [];
  const lines = fitted(
    texts.map((text) => wrapped(visible(text), width - LABEL_WIDTH)),
    mostTexts,
    mostLines,
  );
  return lines.map((line, index) => `${paint((index === 0 ? label : '').padEnd(LABEL_WIDTH), '2')}${line}`);
};

/** With more faults than this each gets one line, so that none is left out. */
const MOST_TOLD_IN_FULL = 2;
const MOST_FAULTS = 6;

/** One fault in a line: who, proved or not, and when. */
const briefFault = (fault: PartReport['faults'][number]): string => {
  const { appliedAt, lateMs, reason } = fault;
  const late = lateMs === undefined ? '' : ` (${duration(lateMs)} late)`;
  const when = appliedAt === undefined ? '' : ` at ${moment(appliedAt)}${late}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${faultTitle(fault)}${when}: ${proofWord(fault)}, ${healWord(fault)}${why}`;
};

const faultTexts = (part: PartReport): string[] => {
  if (part.faults.length > MOST_TOLD_IN_FULL) return part.faults.map(briefFault);
  return part.faults.flatMap((fault) => {
    const marks = fault.evidence.map(({ kind, holds }) => `${MARK_LETTERS[kind]} ${holds ? 'shown' : 'not shown'}`);
    const acked = fault.ackedInWindow === undefined ? '' : `; ${plural(fault.ackedInWindow, 'record')} acked inside`;
    const reason = fault.reason === undefined ? '' : `: ${fault.reason}`;
    const chosen = fault.chosen === '' ? '' : ` (${fault.chosen})`;
    const times = [faultTimes(fault), lateText(fault), `${marks.join(', ')}${acked}`]
      .filter((text) => text !== '')
      .join('; ');
    const title = `${faultTitle(fault)}${chosen}: ${proofWord(fault)}, ${healWord(fault)}${reason}`;
    return times === '' ? [title] : [title, times];
  });
};

const legalCounts = (findings: PartReport['findings']): string[] => {
  const counts = new Map<string, number>();
  for (const { legal, anomaly, count } of findings) if (legal) counts.set(anomaly, (counts.get(anomaly) ?? 0) + count);
  return [...counts].map(([anomaly, count]) => `${count} ${anomaly}`);
};

const findingTexts = ({ findings }: PartReport): string[] => {
  const legal = legalCounts(findings);
  const illegal = findings.filter((finding) => !finding.legal);
  return [
    ...illegal.map((finding) => {
      const { anomaly, count, rule, when } = finding;
      const where = [placeOf(finding), rangesText(finding)].filter((text) => text !== '').join(' ');
      const timed = when === undefined ? '' : `, ${when}`;
      return `${findingWord(finding).toUpperCase()} ${anomaly} × ${count} in ${where}${timed} (${rule})`;
    }),
    ...(legal.length === 0 ? [] : [`legal here: ${legal.join(', ')}`]),
  ];
};

const outageTexts = (part: PartReport): string[] =>
  part.outages.map((outage) => {
    const shares = sharesText(outage);
    return `${placeOf(outage)} ${outageText(outage)} in ${outage.faultId}${shares === '' ? '' : `: ${shares}`}`;
  });

const partTexts = ({ parts }: ReportModel): string[] =>
  parts
    .slice(0, -1)
    .map(({ part, verdict = 'no verdict', because = '' }) => `${PART_NAMES[part]}: ${verdict}, ${because}`);

const sectionsOf = (model: ReportModel): readonly Section[] => {
  const { scenario, target, seed, defects, outcome, reproduce } = model;
  const part = mainPart(model);
  const faulty = defects.length === 0 ? '' : `; defects on: ${defects.join(', ')}`;
  const exit = outcome.exitCode === undefined ? '' : `, exit ${outcome.exitCode}`;
  const head: Section[] = [
    { label: 'claim', texts: [scenario.claim], mostLines: 3 },
    { label: 'target', texts: [`${targetText(target)}; seed ${seed}${faulty}`], mostLines: 2 },
    {
      label: 'result',
      texts: [
        `verdict ${outcome.verdict}, bounds ${outcome.bounds ?? 'not judged'}, heal ${outcome.heal}, ended ${outcome.ended}${exit}`,
      ],
      mostLines: 2,
    },
    { label: 'errors', texts: outcome.errors.slice(1), mostLines: 4 },
  ];
  const judged: Section[] =
    part === undefined
      ? []
      : [
          { label: 'proves less', texts: part.inconclusiveBecause.slice(1), mostLines: 4 },
          { label: 'findings', texts: findingTexts(part), mostTexts: 5, mostLines: 8 },
          { label: 'faults', texts: faultTexts(part), mostTexts: MOST_FAULTS, mostLines: MOST_FAULTS + 1 },
          { label: 'of use', texts: part.faults.map(capacityText).filter((text) => text !== ''), mostLines: 5 },
          { label: 'outages', texts: outageTexts(part), mostTexts: 3, mostLines: 4 },
          { label: 'bounds', texts: part.bounds.map(boundText), mostLines: 3 },
          { label: 'examined', texts: [examinedText(part)], mostLines: 2 },
          { label: 'replay', texts: part.passes.map(passText), mostTexts: 4, mostLines: 5 },
        ];
  return [
    ...head,
    ...judged,
    { label: 'before it', texts: partTexts(model), mostLines: 3 },
    { label: 'lost', texts: [model.recoveryPoint], mostLines: 2 },
    { label: 'away', texts: [model.recoveryTime], mostLines: 2 },
    { label: 'reproduce', texts: [reproduce.run, reproduce.judge], mostLines: 4 },
  ];
};

export const renderTerminal = (model: ReportModel, { colour = false, width = 100 }: RenderOptions): string => {
  const paint = painter(colour);
  const columns = Math.min(WIDEST, Math.max(NARROWEST, width));
  const { word, tone, reason } = headlineParts(model);
  const first = `${paint(word, `1;${COLOURS[tone]}`)} ${visible(reason)}`;
  const body = sectionsOf(model).map((section) => sectionLines(section, columns, paint));
  const footer = body.at(-1) ?? [];
  const room = MOST_LINES - 3 - footer.length;
  const all = body.slice(0, -1).flat();
  const middle = all.length > room ? [...all.slice(0, room - 1), 'More is in report.html.'] : all;
  return `${[first, '', ...middle, ...footer].join('\n')}\n`;
};
