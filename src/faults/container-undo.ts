// Puts back what a fault changed of a container, and says by looking what is still not as it was: the same for the run that changed
// it, the watchdog and `ackproof heal`.
import { describeError } from '../errors.ts';
import type { ContainerControl } from '../targets/container-control.ts';
import { endpointCommand, endpointDifferences, endpointIn } from '../targets/container-endpoints.ts';
import { limitCommand, limitDifferences } from '../targets/container-limits.ts';
import { cutCommand } from '../targets/network-cut-rules.ts';
import { disturbanceCommand } from '../targets/packet-disturbance.ts';
import { fillCommand } from '../targets/volume-fill.ts';
import type { UndoStep } from './fault.ts';
import type { StillThere } from './proxy-left.ts';

export type ContainerStep = Extract<
  UndoStep,
  { readonly do: 'end-cut' | 'end-disturbance' | 'remove-fill' | 'restore-endpoint' | 'restore-limits' }
>;

const CONTAINER_STEPS: readonly UndoStep['do'][] = [
  'end-cut',
  'end-disturbance',
  'remove-fill',
  'restore-endpoint',
  'restore-limits',
];

export const isContainerStep = (step: UndoStep): step is ContainerStep => CONTAINER_STEPS.includes(step.do);

const differencesOf = async (
  step: ContainerStep,
  control: ContainerControl,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const { node } = step;
  if (step.do === 'remove-fill') {
    const { isThere, freeBytes } = await control.fillState(node, step.fill, signal);
    return isThere ? [`${step.fill.directory} is filled, or still being so, with ${freeBytes} bytes free`] : [];
  }
  if (step.do === 'end-cut') return await control.cutLeft(node, step.cut, signal);
  if (step.do === 'end-disturbance') {
    const { interfaces, holders } = await control.disturbanceLeft(node, step.disturbance, signal);
    return [
      ...(interfaces === 0 ? [] : [`packets are disturbed on ${interfaces} of its interfaces`]),
      ...(holders === 0 ? [] : [`${holders} containers beside it hold a disturbance of its packets`]),
    ];
  }
  if (step.do === 'restore-limits') return limitDifferences(step.limits, await control.limits(node, signal));
  const endpoints = await control.endpoints(node, signal);
  const now = endpointIn(endpoints, step.endpoint);
  // Without a process a container has a place in its networks, and no address there.
  return endpointDifferences(
    step.endpoint,
    now,
    endpoints.some(({ address }) => address !== ''),
  );
};

/** `control` is undefined where the container was removed, and what was changed with it. */
export const performContainerStep = async (
  step: ContainerStep,
  control: ContainerControl | undefined,
  signal: AbortSignal,
): Promise<void> => {
  if (control === undefined || (await differencesOf(step, control, signal)).length === 0) return;
  // Not between its calls: a container that is out of its network must come back.
  signal.throwIfAborted();
  switch (step.do) {
    case 'end-cut':
      await control.endCut(step.node, step.cut, signal);
      return;
    case 'end-disturbance':
      await control.endDisturbance(step.node, step.disturbance, signal);
      return;
    case 'remove-fill':
      await control.removeFill(step.node, step.fill, signal);
      return;
    case 'restore-endpoint':
      await control.connect(step.node, step.endpoint, signal);
      return;
    case 'restore-limits':
      await control.setLimits(step.node, step.limits, signal);
  }
};

const byHandOf = (step: ContainerStep): string => {
  switch (step.do) {
    case 'end-cut':
      return cutCommand(step.cut, step.container.id);
    case 'end-disturbance':
      return disturbanceCommand(step.disturbance, step.container.id);
    case 'remove-fill':
      return fillCommand(step.fill, step.container.id);
    case 'restore-endpoint':
      return endpointCommand(step.endpoint, step.container.id);
    case 'restore-limits':
      return limitCommand(step.limits, step.container.id);
  }
};

/** Looks; nothing when it is as it was. Never rejects. */
export const containerStepLeft = async (
  step: ContainerStep,
  open: () => Promise<ContainerControl | undefined>,
): Promise<StillThere[]> => {
  try {
    const control = await open();
    const differences = control === undefined ? [] : await differencesOf(step, control);
    return differences.map((difference) => ({ what: `${step.node}: ${difference}`, byHand: byHandOf(step) }));
  } catch (thrown) {
    return [{ what: `${step.node}: ${describeError(thrown)}`, byHand: byHandOf(step) }];
  }
};
