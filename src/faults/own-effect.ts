// Effects that another fault of the same victim gives as well: an end by the same signal, an answer that never comes. While another
// one has the victim in hand nobody can tell whose they are; what was shown before it came still counts.
import type { NodeId } from '../targets/target.ts';
import type { EvidenceSample, FaultContext } from './fault.ts';

export class OwnEffect {
  readonly #context: FaultContext;
  /** By the system clock. */
  readonly #openedAtMs: number;
  readonly #shown = new Set<NodeId>();

  /** What others have had in hand at any time since `openedAtMs`, by the system clock, is not told apart. */
  constructor({ context, openedAtMs }: { readonly context: FaultContext; readonly openedAtMs: number }) {
    this.#context = context;
    this.#openedAtMs = openedAtMs;
  }

  /** The sample of one victim; where another fault has it in hand, what was shown before. */
  of(node: NodeId, sample: EvidenceSample): EvidenceSample {
    const isStruck = this.#context.struckByOthers?.(this.#openedAtMs).has(node) === true;
    if (!isStruck) {
      if (sample.holds) this.#shown.add(node);
      return sample;
    }
    const holds = this.#shown.has(node);
    const before = `it was ${holds ? '' : 'not '}shown before`;
    return { ...sample, holds, seen: `${sample.seen}; another fault has ${node} in hand, and ${before}` };
  }
}
