// A question to an object store by some address, byte by byte, and signed as the harness's own where the store may check that.
import type { Address, ObjectStoreAccess } from '../../targets/target.ts';
import { type HttpAnswered, type HttpProbe, probeHttp } from './http-probe.ts';

export interface StoreProbe {
  readonly address: Address;
  readonly method: HttpProbe['method'];
  /** Of an object; the bucket itself where it is left out. */
  readonly key?: string;
  /** `name=value`, encoded. */
  readonly query?: string;
  readonly body?: Buffer;
  readonly deadlineMs: number;
}

export const probeStore = async (
  { bucket, sign }: Pick<ObjectStoreAccess, 'bucket' | 'sign'>,
  { address, method, key, query, body, deadlineMs }: StoreProbe,
  signal: AbortSignal,
): Promise<HttpAnswered> => {
  const path = `/${bucket}${key === undefined ? '' : `/${key}`}${query === undefined ? '' : `?${query}`}`;
  const content = body === undefined ? {} : { body };
  const headers = sign?.({ method, address, path, ...content }) ?? {};
  return await probeHttp({ address, method, path, ...content, headers, deadlineMs }, signal);
};
