// What serves each operation.
import type { Answer } from './answer.ts';
import {
  bucketLocation,
  bucketVersioning,
  createBucket,
  deleteBucket,
  deleteObjects,
  headBucket,
  listBuckets,
  listObjects,
} from './bucket-operations.ts';
import type { Call } from './call.ts';
import { copyObject, uploadPartCopy } from './copy-operations.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
} from './multipart-operations.ts';
import { deleteObject, getObject, headObject, putObject } from './object-operations.ts';
import type { Operation } from './request-target.ts';

export const OPERATIONS: Readonly<Record<Operation, (call: Call) => Answer | Promise<Answer>>> = {
  AbortMultipartUpload: abortMultipartUpload,
  CompleteMultipartUpload: completeMultipartUpload,
  CopyObject: copyObject,
  CreateBucket: createBucket,
  CreateMultipartUpload: createMultipartUpload,
  DeleteBucket: deleteBucket,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  GetBucketLocation: bucketLocation,
  GetBucketVersioning: bucketVersioning,
  GetObject: getObject,
  HeadBucket: headBucket,
  HeadObject: headObject,
  ListBuckets: listBuckets,
  ListMultipartUploads: listMultipartUploads,
  ListObjectsV2: listObjects,
  ListParts: listParts,
  PutObject: putObject,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
};
