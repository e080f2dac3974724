// The store: a directory of buckets, one of uploads in parts, and one of files that are not published yet, which is emptied at
// every start.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Bucket } from './bucket.ts';
import { HotObjects } from './hot-objects.ts';
import { MultipartUploads } from './multipart-uploads.ts';
import { S3Error } from './s3-error.ts';

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export interface StoreOptions {
  readonly directory: string;
  /** Bodies up to this size are kept in memory after they were written or read. */
  readonly hotObjectBytes: number;
  /** All such bodies together. */
  readonly hotTotalBytes: number;
}

const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

export class ObjectStore {
  readonly #bucketsDirectory: string;
  readonly #uploadsDirectory: string;
  readonly #incomingDirectory: string;
  readonly #hot: HotObjects;
  readonly #buckets = new Map<string, Bucket>();
  readonly #uploads = new Map<string, MultipartUploads>();
  #nextTemporary = 0;

  private constructor(options: StoreOptions) {
    this.#bucketsDirectory = join(options.directory, 'buckets');
    this.#uploadsDirectory = join(options.directory, 'uploads');
    this.#incomingDirectory = join(options.directory, 'incoming');
    this.#hot = new HotObjects(options.hotObjectBytes, options.hotTotalBytes);
  }

  /** Opens what is in the directory, creating it when it is not there. One process at a time may have it open. */
  static async open(options: StoreOptions): Promise<ObjectStore> {
    const store = new ObjectStore(options);
    rmSync(store.#incomingDirectory, { recursive: true, force: true });
    mkdirSync(store.#incomingDirectory, { recursive: true });
    mkdirSync(store.#bucketsDirectory, { recursive: true });
    mkdirSync(store.#uploadsDirectory, { recursive: true });
    syncDirectory(options.directory);
    syncDirectory(dirname(options.directory));
    for (const name of readdirSync(store.#bucketsDirectory)) await store.#openBucket(name);
    return store;
  }

  /** In the order of their names. */
  get bucketNames(): readonly string[] {
    return [...this.#buckets.keys()].sort();
  }

  get objectCount(): number {
    return [...this.#buckets.values()].reduce((sum, bucket) => sum + bucket.objectCount, 0);
  }

  /** Throws NoSuchBucket. */
  bucket(name: string): Bucket {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) throw new S3Error('NoSuchBucket', `There is no bucket named ${name}.`);
    return bucket;
  }

  /** The uploads in parts of a bucket that are under way. Throws NoSuchBucket. */
  uploads(name: string): MultipartUploads {
    const uploads = this.#uploads.get(this.bucket(name).name);
    if (uploads === undefined) throw new S3Error('NoSuchBucket', `There is no bucket named ${name}.`);
    return uploads;
  }

  /** Throws NoSuchBucket, or BucketNotEmpty while there are objects in it, or uploads. */
  deleteBucket(name: string): void {
    const bucket = this.bucket(name);
    if (bucket.objectCount > 0 || this.uploads(name).all.length > 0) {
      throw new S3Error('BucketNotEmpty', `The bucket ${name} still holds objects, or uploads that are under way.`);
    }
    bucket.close();
    this.#buckets.delete(name);
    this.#uploads.delete(name);
    rmSync(join(this.#uploadsDirectory, name), { recursive: true, force: true });
    rmdirSync(join(this.#bucketsDirectory, name));
    syncDirectory(this.#bucketsDirectory);
  }

  /** Creating a bucket that exists is a success, as it is for its owner on S3. Throws InvalidBucketName. */
  async createBucket(name: string): Promise<void> {
    if (this.#buckets.has(name)) return;
    if (!BUCKET_NAME.test(name)) {
      throw new S3Error('InvalidBucketName', 'A bucket name is 3 to 63 lower-case letters, digits, dots and hyphens.');
    }
    mkdirSync(join(this.#bucketsDirectory, name), { recursive: true });
    syncDirectory(this.#bucketsDirectory);
    await this.#openBucket(name);
  }

  close(): void {
    for (const bucket of this.#buckets.values()) bucket.close();
  }

  async #openBucket(name: string): Promise<void> {
    const directory = join(this.#bucketsDirectory, name);
    const temporaryPath = (): string => join(this.#incomingDirectory, String(this.#nextTemporary++));
    const bucket = await Bucket.open(name, directory, { hot: this.#hot, temporaryPath });
    const uploads = await MultipartUploads.open(join(this.#uploadsDirectory, name), bucket, temporaryPath);
    this.#uploads.set(name, uploads);
    this.#buckets.set(name, bucket);
  }
}
