// Errors in the object store's stead: faults that answer by a status, whatever it is called.
import type { PreparedFault } from './fault.ts';
import { prepareStoreRuleFault, type StoreRuleRequest } from './store-rule-fault.ts';

type StatusAction = Extract<StoreRuleRequest['action'], { readonly kind: 'status' }>;

export interface StoreAnswerFault extends Omit<StoreRuleRequest, 'effect' | 'action'> {
  readonly action: StatusAction;
}

/** Prepares it; what canaries must get is the rule's own answer, told by its id and its headers. */
export const prepareStoreAnswer = async (request: StoreAnswerFault, signal: AbortSignal): Promise<PreparedFault> => {
  const { status, retryAfterSeconds } = request.action;
  return await prepareStoreRuleFault(
    {
      ...request,
      effect: {
        classes: [`http:${status}`],
        holds: ({ answer }, { rule }) => {
          const isOurs = String(answer?.headers['x-amz-request-id']).startsWith(`${rule}.`);
          const isTold =
            retryAfterSeconds === undefined || answer?.headers['retry-after'] === String(retryAfterSeconds);
          return isOurs && isTold;
        },
      },
    },
    signal,
  );
};
