// Names that must be new each time, across processes and restarts: incarnations, topic ids, write nonces. They decide
// nothing and are therefore not drawn from a seed.
import { randomBytes } from 'node:crypto';

/** 16 random bytes as 22 characters of base64url, the way Kafka prints its ids. Never begins with `-`. */
export const freshId = (): string => {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? freshId() : id;
};
