// One handler for each row of the message table that is served, sorted by name.
import type { BrokerServices } from '../broker-services.ts';
import type { Handlers } from '../handler.ts';
import { apiVersionsHandler } from './api-versions.ts';
import { createTopicsHandler } from './create-topics.ts';
import { deleteTopicsHandler } from './delete-topics.ts';
import { describeClusterHandler } from './describe-cluster.ts';
import { describeConfigsHandler } from './describe-configs.ts';
import { describeGroupsHandler } from './describe-groups.ts';
import { fetchHandler } from './fetch.ts';
import { findCoordinatorHandler } from './find-coordinator.ts';
import { heartbeatHandler } from './heartbeat.ts';
import { initProducerIdHandler } from './init-producer-id.ts';
import { joinGroupHandler } from './join-group.ts';
import { leaveGroupHandler } from './leave-group.ts';
import { listGroupsHandler } from './list-groups.ts';
import { listOffsetsHandler } from './list-offsets.ts';
import { metadataHandler } from './metadata.ts';
import { offsetCommitHandler } from './offset-commit.ts';
import { offsetFetchHandler } from './offset-fetch.ts';
import { offsetForLeaderEpochHandler } from './offset-for-leader-epoch.ts';
import { produceHandler } from './produce.ts';
import { saslAuthenticateHandler } from './sasl-authenticate.ts';
import { saslHandshakeHandler } from './sasl-handshake.ts';
import { syncGroupHandler } from './sync-group.ts';

export const allHandlers = (services: BrokerServices): Handlers => ({
  ApiVersions: apiVersionsHandler(),
  CreateTopics: createTopicsHandler(services),
  DeleteTopics: deleteTopicsHandler(services),
  DescribeCluster: describeClusterHandler(services),
  DescribeConfigs: describeConfigsHandler(services),
  DescribeGroups: describeGroupsHandler(services),
  Fetch: fetchHandler(services),
  FindCoordinator: findCoordinatorHandler(services),
  Heartbeat: heartbeatHandler(services),
  InitProducerId: initProducerIdHandler(services),
  JoinGroup: joinGroupHandler(services),
  LeaveGroup: leaveGroupHandler(services),
  ListGroups: listGroupsHandler(services),
  ListOffsets: listOffsetsHandler(services),
  Metadata: metadataHandler(services),
  OffsetCommit: offsetCommitHandler(services),
  OffsetFetch: offsetFetchHandler(services),
  OffsetForLeaderEpoch: offsetForLeaderEpochHandler(services),
  Produce: produceHandler(services),
  SaslAuthenticate: saslAuthenticateHandler(),
  SaslHandshake: saslHandshakeHandler(),
  SyncGroup: syncGroupHandler(services),
});
