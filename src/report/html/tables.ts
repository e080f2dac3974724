// Tables and lists as every section of the page makes them.
import { html, type Markup, type MarkupValue } from './markup.ts';

export interface Column {
  readonly name: string;
  /** Figures are right-aligned. */
  readonly numeric?: boolean;
}

const cell = (value: MarkupValue, { numeric = false }: Column, isFirst: boolean): Markup => {
  if (isFirst) return html`<th scope="row">${value}</th>`;
  return numeric ? html`<td class="num">${value}</td>` : html`<td>${value}</td>`;
};

/** A table with a caption; the first cell of each row is its heading. */
export const table = (
  caption: MarkupValue,
  columns: readonly Column[],
  rows: readonly (readonly MarkupValue[])[],
): Markup => html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${columns.map(({ name, numeric = false }) => (numeric ? html`<th scope="col" class="num">${name}</th>` : html`<th scope="col">${name}</th>`))}</tr></thead>
<tbody>${rows.map((values) => html`<tr>${columns.map((column, index) => cell(values[index], column, index === 0))}</tr>\n`)}</tbody></table></div>`;

/** Names and values. */
export const factList = (facts: readonly (readonly [string, MarkupValue])[]): Markup =>
  html`<dl class="list">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

export const sentences = (texts: readonly string[]): Markup =>
  html`<ul class="says">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
