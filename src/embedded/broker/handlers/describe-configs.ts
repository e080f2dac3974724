// DescribeConfigs: the settings in force, so that a run can read its contract back. Topics have what topic-configs.ts lists;
// a broker has a few that clients ask for.
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import { CONFIG_TYPE, TOPIC_CONFIGS } from '../../topic-configs.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';

type Resource = RequestBody<'DescribeConfigs'>['resources'][number];
type ResourceAnswer = ResponseInput<'DescribeConfigs'>['results'][number];
type ConfigAnswer = ResourceAnswer['configs'][number];

const TOPIC = 2;
const BROKER = 4;
/** Where a value comes from, in Kafka's numbers. */
const SOURCE = { topic: 1, staticBroker: 4, fallback: 5 } as const;

const topicConfigs = (configs: Readonly<Record<string, string>>): readonly ConfigAnswer[] =>
  TOPIC_CONFIGS.map((rule) => ({
    name: rule.name,
    value: configs[rule.name] ?? rule.fallback,
    readOnly: false,
    configSource: rule.name in configs ? SOURCE.topic : SOURCE.fallback,
    isSensitive: false,
    configType: CONFIG_TYPE[rule.type],
  }));

const brokerConfigs = (brokerId: number): readonly ConfigAnswer[] => {
  const values = {
    'auto.create.topics.enable': ['false', CONFIG_TYPE.boolean],
    'broker.id': [String(brokerId), CONFIG_TYPE.int],
    'default.replication.factor': ['3', CONFIG_TYPE.int],
    'min.insync.replicas': ['1', CONFIG_TYPE.int],
    'num.partitions': ['1', CONFIG_TYPE.int],
    'unclean.leader.election.enable': ['false', CONFIG_TYPE.boolean],
  } as const;
  return Object.entries(values).map(([name, [value, configType]]) => ({
    name,
    value,
    readOnly: true,
    configSource: SOURCE.staticBroker,
    isSensitive: false,
    configType,
  }));
};

const configsFor = (services: BrokerServices, resource: Resource): readonly ConfigAnswer[] | number => {
  if (resource.resourceType === BROKER) {
    const isOurs = resource.resourceName === String(services.brokerId) || resource.resourceName === '';
    return isOurs ? brokerConfigs(services.brokerId) : KAFKA.INVALID_REQUEST;
  }
  if (resource.resourceType !== TOPIC) return KAFKA.INVALID_REQUEST;
  const topic = topicNamed(services.view(), resource.resourceName);
  return topic === undefined ? KAFKA.UNKNOWN_TOPIC_OR_PARTITION : topicConfigs(topic.configs);
};

export const describeConfigsHandler =
  (services: BrokerServices): Handler<'DescribeConfigs'> =>
  (request) => ({
    results: request.resources.map((resource) => {
      const { resourceType, resourceName, configurationKeys } = resource;
      const found = configsFor(services, resource);
      const named = { resourceType, resourceName, errorMessage: null };
      if (typeof found === 'number') return { ...named, errorCode: found, configs: [] };
      // Java's admin client sends an empty list where it means all.
      const keys = configurationKeys === null || configurationKeys.length === 0 ? undefined : configurationKeys;
      const configs = found.filter((config) => keys?.includes(config.name) ?? true);
      return { ...named, errorCode: KAFKA.NONE, configs };
    }),
  });
