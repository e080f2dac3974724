import { describe, expect, test } from 'vitest';
import { parseRequestHead } from './http/message-head.ts';
import { s3RequestOf } from './s3-operation.ts';

const of = (method: string, target: string, ...headers: readonly string[]) =>
  s3RequestOf(parseRequestHead(Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`)));

describe('the operation', () => {
  test.each([
    ['PUT', '/b/k', 'PutObject'],
    ['PUT', '/b/k?x-id=PutObject&X-Amz-Signature=1', 'PutObject'],
    ['PUT', '/b/k?partNumber=2&uploadId=u', 'UploadPart'],
    ['PUT', '/b/k?tagging', 'Other'],
    ['PUT', '/b/k?acl', 'Other'],
    ['PUT', '/b', 'Other'],
    ['GET', '/b/k', 'GetObject'],
    ['GET', '/b/k?versionId=1&partNumber=1', 'GetObject'],
    ['GET', '/b/k?uploadId=u', 'Other'],
    ['GET', '/b/k?tagging', 'Other'],
    ['GET', '/b?list-type=2&prefix=p', 'List'],
    ['GET', '/b/?prefix=p', 'List'],
    ['GET', '/b?versions', 'List'],
    ['GET', '/b?uploads', 'Other'],
    ['GET', '/b?location', 'Other'],
    ['GET', '/', 'Other'],
    ['HEAD', '/b/k', 'HeadObject'],
    ['HEAD', '/b', 'Other'],
    ['DELETE', '/b/k', 'DeleteObject'],
    ['DELETE', '/b/k?uploadId=u', 'AbortMultipart'],
    ['DELETE', '/b', 'Other'],
    ['POST', '/b?delete', 'DeleteObjects'],
    ['POST', '/b/?delete=', 'DeleteObjects'],
    ['POST', '/b', 'Other'],
    ['POST', '/b/k?uploads', 'CreateMultipart'],
    ['POST', '/b/k?uploads=', 'CreateMultipart'],
    ['POST', '/b/k?uploadId=u', 'CompleteMultipart'],
    ['POST', '/b/k?select&select-type=2', 'Other'],
    ['OPTIONS', '/b/k', 'Other'],
    ['GET', 'http://host:1/b/k?x=/', 'GetObject'],
    ['OPTIONS', '*', 'Other'],
  ])('of %s %s is %s', (method, target, op) => expect(of(method, target).op).toBe(op));

  test('of a PUT with a source is a copy', () => {
    expect(of('PUT', '/b/k', 'x-amz-copy-source: /b/other').op).toBe('CopyObject');
    expect(of('PUT', '/b/k?partNumber=1&uploadId=u', 'x-amz-copy-source: /b/other').op).toBe('UploadPart');
  });
});

describe('the key', () => {
  test.each([
    ['/b/a%2Fb//..%20c+d', 'a/b//.. c+d'],
    ['/b/%ff', '%ff'],
    ['http://h/b/k', 'k'],
    ['/b/', ''],
  ])('of %s is %j', (target, key) => expect(of('PUT', target)).toMatchObject({ bucket: 'b', key }));

  test('of a listing is its prefix, and a part has a number', () => {
    expect(of('GET', '/b?list-type=2&prefix=wal%2F')).toMatchObject({ op: 'List', key: 'wal/' });
    expect(of('PUT', '/b/k?partNumber=3&uploadId=u')).toMatchObject({ key: 'k', partNumber: '3' });
  });
});

describe('the payload', () => {
  test('is what the request announces, aws-chunked coding taken off', () => {
    expect(of('PUT', '/b/k', 'Content-Length: 10').payloadBytes).toBe(10);
    expect(of('PUT', '/b/k', 'Content-Length: 90', 'x-amz-decoded-content-length: 7').payloadBytes).toBe(7);
    expect(of('PUT', '/b/k', 'Transfer-Encoding: chunked').payloadBytes).toBeUndefined();
    expect(of('GET', '/b/k').payloadBytes).toBe(0);
  });
});
