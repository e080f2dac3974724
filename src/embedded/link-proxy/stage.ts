// The contract of a toxic at work in one direction of one link. The pipe hands it every chunk in order; it passes chunks on,
// holds them, drops them or ends the link. It never waits for anything but its own timers, so adding, changing and removing
// toxics always take effect at once, whatever is queued.
import type { Clock } from '../../clock.ts';
import type { Random } from '../../random.ts';

export type Stream = 'upstream' | 'downstream';

/** Whole numbers from 0, by the names Toxiproxy gives them. */
export type Attributes = Readonly<Record<string, number>>;

/** How a link ends: `close` passes on what was already passed and then closes; `reset` sends RST to both sides. */
export type LinkEnd = 'close' | 'reset';

/** Where a stage's decisions go. */
export interface StageOutput {
  write(chunk: Buffer): void;
  /** The sender will send no more. */
  end(): void;
  endLink(how: LinkEnd): void;
  /** To be called when `heldBytes` has shrunk, so that a paused sender can go on. */
  released(): void;
}

export interface Stage {
  /** Bytes accepted and not yet passed on. */
  readonly heldBytes: number;
  /** The sender is paused while more than this is held. */
  readonly holdLimitBytes: number;
  write(chunk: Buffer): void;
  end(): void;
  update(attributes: Attributes): void;
  /** The toxic is gone: passes on at once what is held, or ends the link if bytes of its stream were lost. */
  remove(): void;
  /** The link is gone: stops the timers. */
  dispose(): void;
}

export interface StageContext {
  readonly clock: Clock;
  /** A stream of its own for each link, direction and toxic. */
  readonly random: Random;
}

/** One kind of toxic. */
export interface ToxicType {
  readonly type: string;
  /** One sentence. */
  readonly summary: string;
  /** Attribute names; a missing one is 0. */
  readonly attributes: readonly string[];
  /** What is wrong with the values together, undefined when nothing is. */
  readonly check?: (attributes: Attributes) => string | undefined;
  readonly createStage: (attributes: Attributes, output: StageOutput, context: StageContext) => Stage;
}

/** A toxic as it was asked for. */
export interface Toxic {
  readonly name: string;
  readonly type: ToxicType;
  readonly stream: Stream;
  /** Share of links it affects, 0 to 1; drawn once for each link. */
  readonly toxicity: number;
  readonly attributes: Attributes;
}
