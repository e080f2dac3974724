// The one table of protocol messages, sorted by name: a new message is one file and one line here.
import { alterPartitionReassignments } from './messages/alter-partition-reassignments.ts';
import { apiVersions } from './messages/api-versions.ts';
import { createTopics } from './messages/create-topics.ts';
import { deleteTopics } from './messages/delete-topics.ts';
import { describeCluster } from './messages/describe-cluster.ts';
import { describeConfigs } from './messages/describe-configs.ts';
import { describeGroups } from './messages/describe-groups.ts';
import { describeLogDirs } from './messages/describe-log-dirs.ts';
import { describeQuorum } from './messages/describe-quorum.ts';
import { describeTopicPartitions } from './messages/describe-topic-partitions.ts';
import { electLeaders } from './messages/elect-leaders.ts';
import { fetch } from './messages/fetch.ts';
import { findCoordinator } from './messages/find-coordinator.ts';
import { heartbeat } from './messages/heartbeat.ts';
import { incrementalAlterConfigs } from './messages/incremental-alter-configs.ts';
import { initProducerId } from './messages/init-producer-id.ts';
import { joinGroup } from './messages/join-group.ts';
import { leaveGroup } from './messages/leave-group.ts';
import { listGroups } from './messages/list-groups.ts';
import { listOffsets } from './messages/list-offsets.ts';
import { listPartitionReassignments } from './messages/list-partition-reassignments.ts';
import { metadata } from './messages/metadata.ts';
import { offsetCommit } from './messages/offset-commit.ts';
import { offsetFetch } from './messages/offset-fetch.ts';
import { offsetForLeaderEpoch } from './messages/offset-for-leader-epoch.ts';
import { produce } from './messages/produce.ts';
import { saslAuthenticate } from './messages/sasl-authenticate.ts';
import { saslHandshake } from './messages/sasl-handshake.ts';
import { syncGroup } from './messages/sync-group.ts';
import { updateFeatures } from './messages/update-features.ts';
import type { Decoded, Input } from './schema.ts';

export const messageTable = [
  alterPartitionReassignments,
  apiVersions,
  createTopics,
  deleteTopics,
  describeCluster,
  describeConfigs,
  describeGroups,
  describeLogDirs,
  describeQuorum,
  describeTopicPartitions,
  electLeaders,
  fetch,
  findCoordinator,
  heartbeat,
  incrementalAlterConfigs,
  initProducerId,
  joinGroup,
  leaveGroup,
  listGroups,
  listOffsets,
  listPartitionReassignments,
  metadata,
  offsetCommit,
  offsetFetch,
  offsetForLeaderEpoch,
  produce,
  saslAuthenticate,
  saslHandshake,
  syncGroup,
  updateFeatures,
] as const;

type Row = (typeof messageTable)[number];
/** The name of a request, as Kafka calls it. */
export type ApiName = Row['name'];
type RowOf<N extends ApiName> = Extract<Row, { readonly name: N }>;

/** A request as it is decoded: every field of every version, absent ones at their default. */
export type RequestBody<N extends ApiName> = Decoded<RowOf<N>['request']>;
/** A response as it is decoded. */
export type ResponseBody<N extends ApiName> = Decoded<RowOf<N>['response']>;
/** A request to be encoded: fields with a default may be left out. Every `RequestBody` is one. */
export type RequestInput<N extends ApiName> = Input<RowOf<N>['request']>;
/** A response to be encoded: fields with a default may be left out. Every `ResponseBody` is one. */
export type ResponseInput<N extends ApiName> = Input<RowOf<N>['response']>;
