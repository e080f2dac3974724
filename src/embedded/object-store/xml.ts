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
  ])}`;
