// What can be asked of the volume process, and what it answers. Two things share it: block volumes, which one broker writes and
// anybody may take away from it, and a directory that all brokers share. Every answer names the boot of the process:
// what was written under another one and not synced is lost.
export type VolumeRequest =
  /** Makes a volume that only `holder` may write; the same holder may ask again. */
  | { readonly op: 'attach'; readonly volume: string; readonly holder: string }
  /** Writes at a position in bytes. One that breaks off has written a part. */
  | { readonly op: 'write'; readonly volume: string; readonly holder: string; readonly at: number }
  /** Makes durable what was written under `boot`, or nothing: `power-cut`. Without a holder: for whoever has fenced the volume. */
  | { readonly op: 'sync'; readonly volume: string; readonly holder?: string; readonly boot?: string }
  /** Takes the volume from its holder for good; durable when it is answered. */
  | { readonly op: 'fence'; readonly volume: string }
  /** From where to where the volume has data, in bytes. */
  | { readonly op: 'extent'; readonly volume: string }
  | { readonly op: 'read'; readonly volume: string; readonly at: number; readonly length: number }
  /** Gives back the space below a position, as far as whole chunks of it go. */
  | { readonly op: 'discard'; readonly volume: string; readonly holder: string; readonly below: number }
  /** Makes a file, durably; `exists`, with its handle, when there is one. */
  | { readonly op: 'create'; readonly path: string }
  /** Writes from the beginning of the file. One that breaks off has written a part. */
  | { readonly op: 'put'; readonly handle: string }
  /** Makes durable whatever was written under `boot` in the whole directory, as a journalling file system does; or `power-cut`. */
  | { readonly op: 'commit'; readonly handle: string; readonly boot: string }
  /** Whether the file of a handle is still there. */
  | { readonly op: 'check'; readonly handle: string }
  | { readonly op: 'get'; readonly path: string }
  /** Removes a file, durably; its handle is stale from then on. */
  | { readonly op: 'remove'; readonly path: string }
  /** The paths that begin with `prefix`, in order. */
  | { readonly op: 'names'; readonly prefix: string };

export type AnswerKind =
  | 'done'
  /** The holder has lost the volume. */
  | 'fenced'
  /** Power was cut since what is to be synced was written. */
  | 'power-cut'
  | 'exists'
  | 'missing'
  /** The file of this handle was removed. */
  | 'stale';

export interface VolumeAnswer {
  readonly status: AnswerKind;
  readonly boot: string;
  readonly handle?: string;
  readonly start?: number;
  readonly end?: number;
  readonly names?: readonly string[];
  readonly bytes?: Uint8Array;
}

/** How a broker reaches the volume process. Throws StoreUnavailable; what it asked for may have been done, or be done later. */
export interface VolumeTransport {
  call(request: VolumeRequest, bytes?: Uint8Array): Promise<VolumeAnswer>;
}

export const CHUNK_BYTES = 4 * 1024 * 1024;

/** A VolumeRequest, as JSON. */
export const REQUEST_HEADER = 'x-volume-request';
/** A VolumeAnswer without names and bytes, which are in the body, as JSON. */
export const ANSWER_HEADER = 'x-volume-answer';
