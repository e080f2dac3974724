// Answers that end a member's request with a code and nothing else.
import type { JoinAnswer, SyncAnswer } from './group-member.ts';

/** What a member has that was assigned nothing. */
export const NO_ASSIGNMENT = Buffer.alloc(0);

export const joinRefused = (code: number, memberId: string): JoinAnswer => ({
  code,
  memberId,
  generationId: -1,
  protocolType: null,
  protocolName: null,
  leaderId: '',
  members: [],
});

export const syncRefused = (code: number): SyncAnswer => ({
  code,
  protocolType: null,
  protocolName: null,
  assignment: NO_ASSIGNMENT,
});
