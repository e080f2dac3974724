// Who leads now: the structs that Produce and Fetch answers use to tell a client where to turn after a leader move.
import { array, int32, string, struct } from '../schema.ts';

/** The leader and its epoch as one struct in the tagged section; both −1 when nothing is told. */
export const currentLeader = (since: number, tag: number) =>
  struct({ leaderId: int32({ default: -1 }), leaderEpoch: int32({ default: -1 }) }, { since, tag });

/** Addresses of the brokers that leader hints name. */
export const nodeEndpoints = (since: number, tag: number) =>
  array(
    { nodeId: int32(), host: string(), port: int32(), rack: string({ nullableSince: 0, default: null }) },
    { since, tag },
  );
