// SaslAuthenticate: no login was begun, for no listener here takes one.
import { KAFKA } from '../../error-codes.ts';
import type { Handler } from '../handler.ts';

export const saslAuthenticateHandler = (): Handler<'SaslAuthenticate'> => () => ({
  errorCode: KAFKA.ILLEGAL_SASL_STATE,
  errorMessage: 'This listener takes no login.',
  authBytes: Buffer.alloc(0),
});
