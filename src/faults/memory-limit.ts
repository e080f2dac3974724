// Lowering the memory limit of containers: what all faults do that leave a node too little memory, and how the end of one that was
// ended for it is told.
import { EnvironmentError } from '../errors.ts';
import type { ContainerLimits, MemoryLimits } from '../targets/container-control.ts';
import { memoryLimitsOf } from '../targets/container-limits.ts';
import type { NodeId } from '../targets/target.ts';
import type { ContainerScene } from './container-fault.ts';
import type { EvidenceSample, UndoStep } from './fault.ts';
import { startAgain } from './process-fault.ts';

/** 128 and SIGKILL: how the kernel ends what takes too much. */
const ENDED_BY_KERNEL = 137;

/** The limit with as much swap as there was: none beyond it, where swap is limited at all. */
export const lowered = ({ memorySwapBytes }: MemoryLimits, memoryBytes: number): Partial<ContainerLimits> => ({
  memoryBytes,
  ...(memorySwapBytes > 0 && { memorySwapBytes: memoryBytes }),
});

/** The victims' limits now. @throws EnvironmentError where there is none: the engine could not take away what a fault sets. */
export const memoryLimitsNow = async (
  { containers, victims }: ContainerScene,
  signal: AbortSignal,
): Promise<ReadonlyMap<NodeId, MemoryLimits>> => {
  const before = new Map<NodeId, MemoryLimits>();
  for (const node of victims.nodes) {
    const limits = memoryLimitsOf(await containers.limits(node, signal));
    if (limits.memoryBytes === 0) {
      throw new EnvironmentError(
        'VICTIM_UNLIMITED',
        `The container of ${node} has no memory limit, and the engine could not take one away again.`,
        { hint: 'Give it one (mem_limit in its compose file).' },
      );
    }
    before.set(node, limits);
  }
  return before;
};

/** Limits first, so that a node which was ended starts again with all that it had. Steps are undone last to first. */
export const backToLimits = (scene: ContainerScene, before: ReadonlyMap<NodeId, MemoryLimits>): readonly UndoStep[] => [
  ...startAgain(scene),
  ...[...before].map(
    ([node, limits]): UndoStep => ({ do: 'restore-limits', node, container: scene.containers.reference(node), limits }),
  ),
];

/** The node's process was ended as the kernel ends one; undefined while it has a process. */
export const sampleEnd = async ({ containers }: ContainerScene, node: NodeId): Promise<EvidenceSample | undefined> => {
  const exitCode = await containers.exitCode(node);
  if (exitCode === undefined) return undefined;
  return { kind: 'effect', holds: exitCode === ENDED_BY_KERNEL, seen: `${node} ended with ${exitCode}` };
};

/** What the victims' ends are put down to, while a fault lasts that may end them. */
export const expectEnds = ({ containers, victims }: ContainerScene, areExpected: boolean): void => {
  for (const node of victims.nodes) containers.expectEnd(node, areExpected);
};
