// Text as one word of a POSIX shell, for the commands that are printed for a person.

/** In single quotes, so that a shell takes it as it is. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
