// The section about the object store: the gates on it, cell by cell, what it was asked and keeps, and what that costs by the reader's
// prices. Nothing where the run looked at no store.
import type { PartReport } from '../model.ts';
import { bytes, grouped } from '../numbers.ts';
import { costTexts, gateText, keptText, usageName } from '../words.ts';
import { html, type Markup } from './markup.ts';
import { sentences, table } from './tables.ts';

const gatesPanel = ({ gates = [] }: PartReport): Markup | undefined =>
  gates.length === 0
    ? undefined
    : html`<div class="panel"><h3>Gates, beside the verdict and never mixed with it</h3>${sentences(gates.map(gateText))}${table(
        'What each gate looks at',
        [{ name: 'Gate' }, { name: 'What' }, { name: 'State' }, { name: 'Detail' }],
        gates.flatMap(({ gate, cells }) => cells.map(({ item, state, detail }) => [gate, item, state, detail])),
      )}</div>`;

const requestsPanel = ({ usage }: PartReport): Markup | undefined => {
  if (usage === undefined) return undefined;
  const numeric = (name: string) => ({ name, numeric: true });
  const kept = keptText(usage);
  if (usage.requests.length === 0) return html`<div class="panel"><p>${kept}</p></div>`;
  return html`<div class="panel">${table(
    'What the store was asked, as it counted itself; ackproof’s own requests are left out',
    [{ name: 'Requests' }, numeric('Count'), numeric('Bytes in'), numeric('Bytes out')],
    usage.requests.map((row) => [
      usageName(row),
      grouped(row.requests),
      bytes(row.requestBytes),
      bytes(row.responseBytes),
    ]),
  )}${kept === '' ? undefined : html`<p>${kept}</p>`}</div>`;
};

const costPanel = ({ usage }: PartReport): Markup | undefined =>
  usage?.cost === undefined
    ? undefined
    : html`<div class="panel"><h3>What that costs</h3>${sentences(costTexts(usage.cost))}</div>`;

export const storageSection = (part: PartReport | undefined): Markup | undefined => {
  if (part?.gates === undefined && part?.usage === undefined) return undefined;
  return html`<section aria-labelledby="storage"><h2 id="storage">The object store</h2>
${gatesPanel(part)}${requestsPanel(part)}${costPanel(part)}</section>`;
};
