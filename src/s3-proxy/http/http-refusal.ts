// What is no HTTP/1.1 that this proxy passes on. A side that sends it is answered (a caller) or cut off (the store), never guessed
// about: two readings of one byte stream are how one request smuggles another.

/** `status` is what a caller is answered; the message is a sentence. */
export class HttpRefusal extends Error {
  readonly status: 400 | 431 | 501 | 505;

  constructor(status: 400 | 431 | 501 | 505, message: string) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
  }
}
