// Writes the body of DeleteObjects, asked for quietly: the answer then lists only what could not be deleted.

const escapeXml = (text: string): string =>
  text.replace(/[&<>\u0000-\u001f]/g, (character) => `&#${character.charCodeAt(0)};`);

export const deleteDocument = (keys: readonly string[]): Uint8Array =>
  Buffer.from(
    `<Delete>${keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('')}<Quiet>true</Quiet></Delete>`,
  );
