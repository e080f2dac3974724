// What the HTTP API refuses, in the words and with the status codes Toxiproxy's clients know.
import { AckproofError } from '../../errors.ts';

export class ApiError extends AckproofError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('LINK_PROXY_REFUSED', 'input', message);
    this.status = status;
  }
}

export const badRequestBody = (why: string): ApiError => new ApiError(400, `bad request body: ${why}`);
export const missingField = (name: string): ApiError => new ApiError(400, `missing required field: ${name}`);
export const proxyNotFound = (): ApiError => new ApiError(404, 'proxy not found');
export const proxyExists = (): ApiError => new ApiError(409, 'proxy already exists');
export const toxicNotFound = (): ApiError => new ApiError(404, 'toxic not found');
export const toxicExists = (): ApiError => new ApiError(409, 'toxic already exists');
export const invalidStream = (): ApiError =>
  new ApiError(400, 'stream was invalid, can be either upstream or downstream');
export const invalidToxicType = (known: readonly string[]): ApiError =>
  new ApiError(400, `invalid toxic type, known are ${known.join(', ')}`);
export const cannotListen = (listen: string, cause: unknown): ApiError =>
  new ApiError(500, `cannot listen on ${listen}: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}`);
