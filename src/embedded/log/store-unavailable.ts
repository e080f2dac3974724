// The one error a store call may fail with. Whether a write that failed so has happened, or will, is not known; whoever made
// it must be able to make it again.
import { EnvironmentError, type ErrorDetails } from '../../errors.ts';

export class StoreUnavailable extends EnvironmentError {
  /** True when the request may have reached the store: a write may have happened, or may still happen. */
  readonly ambiguous: boolean;

  constructor(what: string, ambiguous: boolean, details?: ErrorDetails) {
    super('STORE_UNAVAILABLE', `A store did not answer: ${what}.`, {
      hint: 'It is tried again until it answers.',
      ...details,
    });
    this.ambiguous = ambiguous;
  }
}

/** Whether `thrown` says that a store could not be reached: the one failure after which a call is made again. */
export const isStoreUnavailable = (thrown: unknown): boolean => thrown instanceof StoreUnavailable;
