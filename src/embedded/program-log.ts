// The log of an embedded program: one line per event on standard error, `time level text`, which the target keeps as the
// node's log file. Line breaks inside a text are escaped, so that one event is always one line.
import { type Clock, isoTime, systemClock } from '../clock.ts';

export interface ProgramLog {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** A log that writes whole lines to `sink`. */
export const createProgramLog = (sink: { write(text: string): unknown }, clock: Clock = systemClock): ProgramLog => {
  const line = (level: string, text: string): void => {
    sink.write(`${isoTime(clock.wall())} ${level} ${text.replaceAll('\r', '\\r').replaceAll('\n', '\\n')}\n`);
  };
  return {
    info: (text) => line('INFO', text),
    warn: (text) => line('WARN', text),
    error: (text) => line('ERROR', text),
  };
};
