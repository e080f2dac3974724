// The one place where foreign text is made harmless. Record keys, topic names, error texts and claims come from clusters and
// files that nobody vouches for; every format passes them through here, so that they can neither script, break nor colour it.

/** Longer texts are cut; a report is no place for a megabyte. */
const TEXT_LIMIT = 2000;

/**
 * What acts instead of being read: controls (C0, DEL, C1), soft hyphen, zero-width and direction-changing characters, line and
 * paragraph separators, BOM, interlinear marks, tags, halves of surrogate pairs, and what XML 1.0 forbids.
 */
const ACTING = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}\p{Surrogate}`;

const UNSAFE = new RegExp(`[${ACTING}]`, 'gu');
/** JSON has escapes for all of these, and for what could end a script element. Its own line ends and spaces stay. */
const UNSAFE_IN_JSON = new RegExp(`(?!\\n)[${ACTING}<>&]`, 'gu');

const codeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** `text` on one line, with every character that could act instead of being read shown as `\u001b` and the like. */
export const visible = (text: string): string => text.replace(UNSAFE, codeOf);

/** At most `limit` characters of `text`, and how long it was. */
export const capped = (text: string, limit = TEXT_LIMIT): string =>
  text.length <= limit
    ? text
    : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/u, '')}… (${text.length} characters in all)`;

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for the content or a quoted attribute of HTML or XML 1.0. */
export const markupText = (text: string): string =>
  visible(text).replace(/[&<>"']/gu, (character) => MARKUP[character] ?? character);

/** Text inside Markdown: no character of it means anything, not even to a renderer that lets HTML through. */
export const markdownText = (text: string): string =>
  visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$@:-]/gu, (character) => (/[@:()+-]/u.test(character) ? character : `\\${character}`))
    .replace(/[&<>]/gu, (character) => MARKUP[character] ?? character)
    .replace(/@(?=[A-Za-z0-9])/gu, '@\u2060')
    .replace(/:\/\//gu, ':\u2060//');

const jsonEscape = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** JSON in which every character above is an escape, so that the text is plain wherever it is printed. */
export const safeJson = (value: unknown): string => JSON.stringify(value, null, 2).replace(UNSAFE_IN_JSON, jsonEscape);
