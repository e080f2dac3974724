// Rights as `plan` prints them, given and taken by Kafka's own tool on the administrator's listener.
import type { KafkaCluster } from './kafka-cluster.ts';

const ACLS = 'org.apache.kafka.tools.AclCommand';

/** The words of each command that a plan prints, after the name of the tool. */
export const plannedRights = (plan: string): readonly (readonly string[])[] =>
  plan
    .split('\n')
    .filter((line) => /^\s*kafka-acls\.sh /.test(line))
    .map((line) => line.trim().split(' ').slice(1));

/** The administrator's listener is another one than the run's. */
const byAdministrator = (cluster: KafkaCluster, words: readonly string[]): readonly string[] =>
  words.map((word, index) => (words[index - 1] === '--bootstrap-server' ? cluster.bootstrapServers.join(',') : word));

export const grantRights = async (cluster: KafkaCluster, commands: readonly (readonly string[])[]): Promise<void> => {
  for (const words of commands) await cluster.tool(ACLS, byAdministrator(cluster, words));
};

/** Takes one operation of the command that has it for `resource` (`--topic`, `--cluster`) away again. */
export const revokeRight = async (
  cluster: KafkaCluster,
  commands: readonly (readonly string[])[],
  operation: string,
  resource: string,
): Promise<void> => {
  const words = commands.find((each) => each.includes(operation) && each.includes(resource)) ?? [];
  const without = words.filter((word, index) => {
    const isFlag = word === '--operation' && words[index + 1] !== operation;
    const isOther = words[index - 1] === '--operation' && word !== operation;
    return !isFlag && !isOther;
  });
  const removing = without.map((word) => (word === '--add' ? '--remove' : word));
  await cluster.tool(ACLS, byAdministrator(cluster, [...removing, '--force']));
};
