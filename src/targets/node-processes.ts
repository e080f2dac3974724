// ProcessControl over a set of node processes that we started ourselves.
import { InputError } from '../errors.ts';
import type { NodeProcess } from './node-process.ts';
import type { NodeId, ProcessControl } from './target.ts';

/** What a target may add to a start: work that must be done before the node counts as serving again. */
export type AfterStart = (node: NodeId, signal: AbortSignal) => Promise<void>;

const nothingMore: AfterStart = async () => {
  await Promise.resolve();
};

/** Signals and starts by node id; `afterStart` runs when a started node says that it is ready. */
export const processControl = (
  processes: readonly NodeProcess[],
  afterStart: AfterStart = nothingMore,
): ProcessControl => {
  const byNode = new Map(processes.map((each) => [each.command.node, each]));
  const find = (node: NodeId): NodeProcess => {
    const found = byNode.get(node);
    if (found !== undefined) return found;
    throw new InputError('TARGET_NO_SUCH_NODE', `The target has no node named "${node}".`, {
      hint: `Its nodes: ${[...byNode.keys()].join(', ')}.`,
    });
  };
  return {
    nodes: [...byNode.keys()],
    identity: async (node) => await Promise.resolve(find(node).identity),
    state: async (node) => await Promise.resolve(find(node).state),
    kill: async (node, signal) => await find(node).kill(signal),
    terminate: async (node, graceMs, signal) => ({ exitCode: await find(node).terminate(graceMs, signal) }),
    pause: async (node, signal) => await find(node).pause(signal),
    resume: async (node, signal) => {
      await find(node).resume(signal);
    },
    start: async (node, signal) => {
      const found = find(node);
      await found.start(signal);
      await afterStart(node, signal);
      const { identity } = found;
      if (identity !== undefined) return identity;
      throw found.hasEnded('counted as started');
    },
  };
};
