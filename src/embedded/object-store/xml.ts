// The few XML documents S3 answers with. Keys come from clients and may hold anything; every text goes through `escapeXml`.

/** Text for an XML element: markup and control characters become references. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"'\u0000-\u001f\u007f\ufffe\uffff]/g, (character) => {
    switch (character) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '"':
        return '&quot;';
      default:
        return `&#x${character.charCodeAt(0).toString(16)};`;
    }
  });

/** `<name>text</name>`, escaped. */
export const textElement = (name: string, text: string | number | boolean): string =>
  `<${name}>${escapeXml(String(text))}</${name}>`;

/** `<name>…</name>` around elements that are already XML. */
export const element = (name: string, children: readonly string[]): string => `<${name}>${children.join('')}</${name}>`;

/** A whole document with S3's name space on its root. */
export const xmlDocument = (root: string, children: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${children.join('')}</${root}>`;

/** The document of an error. */
export const errorDocument = (code: string, message: string, resource: string, requestId: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element('Error', [
    textElement('Code', code),
    textElement('Message', message),
    textElement('Resource', resource),
    textElement('RequestId', requestId),
    textElement('HostId', 'ackproof'),
  ])}`;

const NAMED: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Undefined for a number that is no character. */
const numbered = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

const characterOf = (reference: string): string | undefined => {
  if (reference.startsWith('#x')) return numbered(Number.parseInt(reference.slice(2), 16));
  return reference.startsWith('#') ? numbered(Number(reference.slice(1))) : NAMED[reference];
};

/** References turned back into characters; unknown ones are left alone. */
const unescapeXml = (text: string): string =>
  text.replace(
    /&(#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,4});/g,
    (whole, reference: string) => characterOf(reference) ?? whole,
  );

/** What stands between the tags of every `name`, in order, as it stands there. For documents that are flat lists, read with patterns. */
export const innerTexts = (document: string, name: string): readonly string[] =>
  [...document.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner);

/** The elements with no elements in them, by name, empty ones passed over, and what else there is besides white space. */
export const flatElements = (
  inner: string,
): { readonly texts: Readonly<Record<string, string>>; readonly rest: string } => {
  const texts: Record<string, string> = {};
  const rest = inner.replace(/<\w+\s*\/>/g, '').replace(/<(\w+)>([^<]*)<\/\1>/g, (_, name: string, text: string) => {
    texts[name] = unescapeXml(text);
    return '';
  });
  return { texts, rest: rest.trim() };
};
