// Progress on stderr. On a terminal: a line that is rewritten, and one line for each change. Elsewhere: one time-stamped line
// a change, plus a line every 30 s so that a CI job is never silent for long. With `--log-format json`: one object a line.
import type { RunProgress } from '../src/index.ts';
import { plainText, type Screen, writeErr } from './terminal.ts';

export type LogFormat = 'text' | 'json';

const QUIET_MS = 30_000;
const BARS = '▁▂▃▄▅▆▇█';

const sparkline = (values: readonly number[]): string => {
  const most = Math.max(1, ...values);
  return values.map((value) => BARS[Math.min(7, Math.floor((value / most) * 7.99))] ?? ' ').join('');
};

const tick = (holds: boolean, letter: string): string => (holds ? letter : '·');

const PROOFS: Readonly<Record<string, string>> = { M: 'mechanism', E: 'effect', C: 'control' };

/** `M: process 7 is gone · E: …` with its letters spelled out. */
const inWords = (proof: string): string =>
  proof.replace(/(^|· )([MEC]): /gu, (_, before: string, letter: string) => `${before}${PROOFS[letter] ?? letter}: `);

/** What each part of a run is called here; the same words as in the report. */
const PARTS = { preflight: 'honesty check', control: 'control run', main: 'fault run' } as const;

/** Of a fault under way: its proof so far as `MEC`, a dot for each that is still missing, and what was done last. */
interface FaultLine {
  readonly fault: string;
  readonly edge: string;
  marks: string;
}

export class ProgressView {
  readonly #screen: Screen;
  readonly #format: LogFormat;
  readonly #now: () => number;
  readonly #started: number;
  readonly #rates: number[] = [];
  readonly #faults = new Map<string, FaultLine>();
  #parts: Readonly<Record<keyof typeof PARTS, string>> = PARTS;
  #run = '';
  #phase = '';
  #lastLineAt: number;
  #lineShown = false;

  constructor(screen: Screen, format: LogFormat, now: () => number) {
    this.#screen = screen;
    this.#format = format;
    this.#now = now;
    this.#started = now();
    this.#lastLineAt = now();
  }

  /** Takes one event of the run; never throws. */
  readonly take = (event: RunProgress): void => {
    if (this.#format === 'json') {
      if (event.kind !== 'load' && event.kind !== 'evidence')
        writeErr(JSON.stringify({ ms: this.#elapsed(), ...event }));
      return;
    }
    if (event.kind === 'load') this.#load(event);
    else if (event.kind === 'evidence') this.#mark(event);
    else this.#say(this.#textOf(event));
  };

  /** Removes the live line. */
  end(): void {
    if (this.#lineShown) process.stderr.write('\r\u001b[K');
    this.#lineShown = false;
  }

  #elapsed(): number {
    return Math.round(this.#now() - this.#started);
  }

  #say(text: string | undefined): void {
    if (text === undefined) return;
    this.end();
    this.#lastLineAt = this.#now();
    writeErr(`${(this.#elapsed() / 1000).toFixed(1).padStart(6)} s  ${plainText(this.#withAliases(text))}`);
  }

  /** The topics of the run by their names in the scenario. */
  #withAliases(text: string): string {
    return Object.keys(PARTS).reduce((named, part) => named.replaceAll(`ackproof-${this.#run}-${part}-`, ''), text);
  }

  #mark(event: Extract<RunProgress, { kind: 'evidence' }>): void {
    const known = this.#faults.get(event.id);
    if (known === undefined) return;
    known.marks = tick(event.mechanism, 'M') + tick(event.effect, 'E') + tick(event.control, 'C');
  }

  #load(event: Extract<RunProgress, { kind: 'load' }>): void {
    const { acked, unknown, ackedPerSecond, oldest } = event.load;
    this.#rates.push(ackedPerSecond);
    if (this.#rates.length > 24) this.#rates.shift();
    const faults = [...this.#faults.values()].map(({ fault, marks, edge }) => `${fault} ${marks} ${edge}`).join(', ');
    const waiting =
      oldest === undefined || oldest.ms < 1000
        ? ''
        : `  waiting ${(oldest.ms / 1000).toFixed(1)} s on partition ${oldest.partition}`;
    const line =
      `${(this.#elapsed() / 1000).toFixed(1).padStart(6)} s  ${this.#parts[event.part]}: ${this.#phase}  ` +
      `${acked} acked  ${Math.round(ackedPerSecond)}/s ${this.#screen.live ? sparkline(this.#rates) : ''}` +
      `  ${unknown} unknown${waiting}${faults === '' ? '' : `  [${faults}]`}`;
    if (this.#screen.live) {
      process.stderr.write(`\r\u001b[K${plainText(line).slice(0, this.#screen.width - 1)}`);
      this.#lineShown = true;
    } else if (this.#now() - this.#lastLineAt > QUIET_MS) {
      this.#lastLineAt = this.#now();
      writeErr(plainText(line));
    }
  }

  #textOf(event: Exclude<RunProgress, { kind: 'load' | 'evidence' }>): string | undefined {
    switch (event.kind) {
      case 'started':
        return this.#begin(event);
      case 'phase':
        this.#phase = event.phase;
        this.#rates.length = 0;
        return `${this.#parts[event.part]}: ${event.phase}${(event.plannedMs ?? 0) === 0 ? '' : ` for ${(event.plannedMs ?? 0) / 1000} s`}`;
      case 'fault':
        return this.#faultText(event);
      case 'note':
        return event.text;
      case 'part-judged':
        return `${this.#parts[event.part]}: ${event.result.judgement.verdict}: ${event.result.judgement.because}`;
      case 'finished':
        return undefined;
    }
  }

  #begin({
    baseline,
    runDirectory,
    scenario,
    target,
    seed,
    defects,
  }: Extract<RunProgress, { kind: 'started' }>): string {
    if (baseline) this.#parts = { ...PARTS, main: 'baseline run' };
    this.#run = runDirectory.split(/[\\/]/u).at(-1) ?? '';
    const wrong = defects.length === 0 ? '' : `, DEFECTS: ${defects.join(', ')}`;
    return `${scenario} on ${target}, seed ${seed}${wrong}  → ${runDirectory}`;
  }

  #faultText(event: Extract<RunProgress, { kind: 'fault' }>): string {
    if (event.edge === 'healed') this.#faults.delete(event.id);
    else
      this.#faults.set(event.id, {
        fault: event.fault,
        marks: this.#faults.get(event.id)?.marks ?? '···',
        edge: event.edge,
      });
    const detail = event.detail === '' ? '' : `: ${inWords(event.detail)}`;
    return `${event.id} on ${event.victims.join(', ')}: ${event.edge}${detail}`;
  }
}
