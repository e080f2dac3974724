// What is stored with an object beside its bytes: its type, its metadata, and the headers that are handed back as they came.
import type { Call } from './call.ts';
import { headerOf } from './call.ts';
import type { ObjectInfo } from './object-file.ts';

const KEPT = ['cache-control', 'content-disposition', 'content-language', 'expires'];

/** Codings of the object, without that of the way here. */
const contentEncoding = (call: Call): Record<string, string> => {
  const codings = (headerOf(call, 'content-encoding') ?? '').split(',').map((coding) => coding.trim());
  const kept = codings.filter((coding) => coding !== 'aws-chunked' && coding !== '');
  return kept.length === 0 ? {} : { 'content-encoding': kept.join(', ') };
};

export const storedHeaders = (call: Call): Pick<ObjectInfo, 'contentType' | 'headers'> => {
  const names = Object.keys(call.headers).filter((name) => name.startsWith('x-amz-meta-') || KEPT.includes(name));
  const kept = Object.fromEntries(names.map((name) => [name, headerOf(call, name) ?? '']));
  return {
    contentType: headerOf(call, 'content-type') ?? 'application/octet-stream',
    headers: { ...kept, ...contentEncoding(call) },
  };
};
