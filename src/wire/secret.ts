// A value that must not be told: it prints as a placeholder wherever it gets by mistake, and is had only by asking for it.
const PLACEHOLDER = '(secret)';
/** Shorter ones are words of every text; taking them out of it would hide the text and nothing else. */
const LEAST_HIDDEN = 4;

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  /** `text` without the value, for words that somebody else wrote. */
  removedFrom(text: string): string {
    return this.#value.length < LEAST_HIDDEN ? text : text.replaceAll(this.#value, PLACEHOLDER);
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return PLACEHOLDER;
  }
}
