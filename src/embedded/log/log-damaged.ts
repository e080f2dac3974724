// What the stores hold is not what the log wrote there: something outside removed or changed it. Never passed over in silence.
import { EnvironmentError, type ErrorDetails } from '../../errors.ts';

export class LogDamaged extends EnvironmentError {
  constructor(what: string, details?: ErrorDetails) {
    super('LOG_DAMAGED', `The stored log is damaged: ${what}.`, {
      hint: 'Find out what removed or changed the object; the log never does.',
      ...details,
    });
  }
}
