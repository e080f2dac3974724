// Text as one word of a POSIX shell, for the commands that are printed for a person.

/** In single quotes, so that a shell takes it as it is. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same, and as it was written where a shell takes that for itself: as a person would type it. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text));
