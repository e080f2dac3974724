// The one file that reads the process environment, so that what can change a run from outside is listed in one place.
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The value of an environment variable; undefined when unset or empty. */
export const environmentVariable = (name: string): string | undefined => {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
};

/** A copy of the environment for a child process, with `extra` laid over it. */
export const childEnvironment = (extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...extra,
});

/** What every program needs to find others and to write somewhere. */
const OF_EVERY_PROGRAM = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'];

/** For a program that is not ackproof's own: what every program needs and `extra`, none of the secrets that ackproof was given. */
export const commandEnvironment = (extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    OF_EVERY_PROGRAM.flatMap((name) => {
      const value = environmentVariable(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  ...extra,
});

/** Where programs of an environment keep their state: `$XDG_STATE_HOME`, or `~/.local/state`. */
export const stateHomeIn = (xdgStateHome: string | undefined, home: string): string =>
  xdgStateHome === undefined || xdgStateHome === '' ? join(home, '.local', 'state') : xdgStateHome;

/** That of this process. */
export const stateHome = (): string => stateHomeIn(environmentVariable('XDG_STATE_HOME'), homedir());

/** The user's state directory of ackproof, `$XDG_STATE_HOME/ackproof` or `~/.local/state/ackproof`; not created here. */
export const stateDirectory = (): string => join(stateHome(), 'ackproof');

/** Where what was fetched once is kept, `$XDG_CACHE_HOME/ackproof` or `~/.cache/ackproof`; not created here. */
export const cacheDirectory = (): string =>
  join(environmentVariable('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'ackproof');

/** Sets a variable of this process unless it is set already; for packages that can be told a thing in no other way. */
export const presetEnvironmentVariable = (name: string, value: string): void => {
  process.env[name] ??= value;
};
