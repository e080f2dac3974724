// The faults with their proof: what was done to whom, when, what showed that it bit, and what the load got through meanwhile.
import { MARK_LETTERS } from '../evidence-marks.ts';
import type { FaultReport, OutageReport, PartReport } from '../model.ts';
import { bytes, duration, grouped, moment, plural } from '../numbers.ts';
import { capacitySteps, faultTimes, faultTitle, healWord, lateText, outageText, placeOf, proofWord } from '../words.ts';
import { html, type Markup } from './markup.ts';
import { table } from './tables.ts';

/** Longest first where there are too many for a table. */
const MOST_OUTAGES = 60;
const KIND_NAMES = { mechanism: 'Mechanism', effect: 'Effect', control: 'Negative control' } as const;

const evidence = (fault: FaultReport): Markup =>
  html`<div class="evidence">${fault.evidence.map(
    ({ kind, holds, seen }) =>
      html`<span><b>${MARK_LETTERS[kind]}</b> ${KIND_NAMES[kind]}</span><span class="${holds ? 'good' : 'bad'}"><span class="tag">${holds ? 'shown' : 'not shown'}</span></span><span>${seen}</span>`,
  )}</div>`;

const exposureText = ({ exposure }: FaultReport): string =>
  exposure
    .map(({ partition, lastAckAgeMs, silencedBy }) => {
      if (lastAckAgeMs === undefined) return `partition ${partition}: nothing acknowledged before`;
      const silence = silencedBy === undefined ? '' : ` (silent under ${silencedBy})`;
      return `partition ${partition}: ${duration(lastAckAgeMs)}${silence}`;
    })
    .join(', ');

type Capacity = NonNullable<FaultReport['capacities']>[number];

const capacityTable = (capacity: Capacity): Markup => {
  const { node, trigger, partitions, copiedBytes } = capacity;
  const copied = copiedBytes === undefined ? '' : ` It had ${bytes(copiedBytes)} on its disks when it was in sync.`;
  return table(
    `Time until useful capacity of ${node}, which is to lead ${plural(partitions, 'partition')}, since ${trigger}.${copied}`,
    [{ name: 'Step' }, { name: 'After', numeric: true }],
    capacitySteps(capacity).map(([word, after]) => [word, after]),
  );
};

const faultPanel = (fault: FaultReport): Markup => {
  const healed = healWord(fault);
  const tone = fault.confirmed ? 'good' : 'doubt';
  const late = lateText(fault);
  const healTone = healed === 'heal failed' || healed === 'not healed' ? 'bad' : 'good';
  const { ackedInWindow, attemptedInWindow = 0, chosen, reason } = fault;
  const load =
    ackedInWindow === undefined || attemptedInWindow === 0
      ? undefined
      : html`<p class="soft">Inside its window: ${grouped(attemptedInWindow)} records sent, ${grouped(ackedInWindow)} acknowledged.</p>`;
  return html`<article class="panel"><div class="row"><h3>${faultTitle(fault)}</h3><span class="${tone}"><span class="tag">${proofWord(fault)}</span></span>
<span class="${healTone}"><span class="tag">${healed}</span></span><span class="soft">${chosen}</span></div>
${reason === undefined ? undefined : html`<p>${reason}</p>`}<p class="soft">${faultTimes(fault)}</p>${late === '' ? undefined : html`<p class="doubt">${late}</p>`}${evidence(fault)}${load}${(fault.capacities ?? []).map(capacityTable)}
${fault.exposure.length === 0 ? undefined : html`<p class="soft">Youngest acknowledgement when it was applied: ${exposureText(fault)}.</p>`}</article>`;
};

const share = (outage: OutageReport, key: 'brokersMs' | 'pathMs' | 'clientMs'): string =>
  outage.shares === undefined ? 'not probed' : duration(outage.shares[key]);

const recovered = (ms: number | undefined): string => (ms === undefined ? '' : duration(ms));

const shownOutages = (outages: readonly OutageReport[]): readonly OutageReport[] => {
  const length = ({ ms = Number.MAX_SAFE_INTEGER }: OutageReport): number => ms;
  return outages.length <= MOST_OUTAGES
    ? outages
    : [...outages].sort((one, other) => length(other) - length(one)).slice(0, MOST_OUTAGES);
};

const outageTable = (outages: readonly OutageReport[]): Markup =>
  html`<div class="panel">${table(
    'Outages as the load saw them: the longest silence of each partition under each fault. Probes through and past the proxies tell the shares apart.',
    [
      { name: 'Partition' },
      { name: 'Fault' },
      { name: 'From', numeric: true },
      { name: 'Length', numeric: true },
      { name: 'Back after its start', numeric: true },
      { name: 'After its heal', numeric: true },
      { name: 'Brokers', numeric: true },
      { name: 'Path', numeric: true },
      { name: 'Client', numeric: true },
    ],
    shownOutages(outages).map((outage) => [
      placeOf(outage),
      outage.faultId,
      moment(outage.from),
      outageText(outage),
      recovered(outage.afterAppliedMs),
      recovered(outage.afterHealedMs),
      share(outage, 'brokersMs'),
      share(outage, 'pathMs'),
      share(outage, 'clientMs'),
    ]),
  )}</div>`;

export const faultsSection = ({ faults, outages }: PartReport): Markup | undefined =>
  faults.length === 0
    ? undefined
    : html`<section aria-labelledby="faults"><h2 id="faults">Faults and their evidence</h2>
<p class="lead">A fault counts only if its mechanism was read back, an independent canary saw its effect, and something that must stay healthy did.</p>
${faults.map(faultPanel)}${outages.length === 0 ? undefined : outageTable(outages)}</section>`;
