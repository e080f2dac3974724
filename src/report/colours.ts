// Colour on a terminal; it only repeats what the words say.
import type { Tone } from './headline.ts';

/** SGR codes. */
export const COLOURS: Readonly<Record<Tone, string>> = { good: '32', bad: '31', doubt: '33' };

export type Paint = (text: string, codes: string) => string;

export const painter = (colour: boolean): Paint =>
  colour ? (text, codes) => `\u001b[${codes}m${text}\u001b[0m` : (text) => text;
