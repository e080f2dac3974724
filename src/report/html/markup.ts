// HTML and SVG as values. The one thing to know: text put into a template is escaped unless it is markup already, so that
// nothing a cluster says can become an element.
import { markupText } from '../escape.ts';

/** A piece of HTML or SVG that is safe as it stands. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type MarkupValue = string | number | Markup | undefined | readonly MarkupValue[];

const textOf = (value: MarkupValue): string => {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return markupText(value);
  if (typeof value === 'number') return String(value);
  return value.map(textOf).join('');
};

/** A template whose values are escaped; lists are joined, `undefined` is nothing. */
export const html = (literals: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup =>
  new Markup(literals.map((literal, index) => literal + textOf(values[index])).join(''));

/** Text that this program wrote itself and that must not be escaped: style and script. */
export const trusted = (text: string): Markup => new Markup(text);

export const NOTHING = new Markup('');
