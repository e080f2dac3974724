// SaslHandshake: no listener here asks for a login, and one that does not says so as Kafka's do.
import { KAFKA } from '../../error-codes.ts';
import type { Handler } from '../handler.ts';

export const saslHandshakeHandler = (): Handler<'SaslHandshake'> => () => ({
  errorCode: KAFKA.ILLEGAL_SASL_STATE,
  mechanisms: [],
});
