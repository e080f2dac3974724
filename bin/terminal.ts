// What the program knows of the terminal it writes to. Text from outside is made harmless here before it is printed: no
// control character of a topic name or an error message may move the cursor or change a colour.

export interface Screen {
  readonly live: boolean;
  readonly colour: boolean;
  readonly width: number;
}

const wantsColour = (isTty: boolean): boolean => {
  if ((process.env['NO_COLOR'] ?? '') !== '') return false;
  const forced = process.env['FORCE_COLOR'];
  return forced === undefined ? isTty : forced !== '0';
};

export const screenOf = (stream: NodeJS.WriteStream): Screen => ({
  live: stream.isTTY && process.env['TERM'] !== 'dumb',
  colour: wantsColour(stream.isTTY),
  width: stream.columns > 0 ? stream.columns : 100,
});

const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text with every control and direction-changing character shown as `\u001b` and the like; line ends stay. */
export const plainText = (text: string): string =>
  text.replace(UNSAFE, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

export const writeOut = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};
export const writeErr = (text: string): void => {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
};
