// What the store knows about its own traffic, for probes and evidence: GET /_ackproof/requests?since=N and /_ackproof/counters.
// On a listener of its own, so that asking never shows up in what is asked about.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Counters } from './counters.ts';
import type { RequestLog } from './request-log.ts';

const PAGE = 5000;

const answerJson = (response: ServerResponse, status: number, document: unknown): void => {
  const bytes = Buffer.from(JSON.stringify(document));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
};

const refuse = (response: ServerResponse, status: number, error: string): void => {
  answerJson(response, status, { error, status });
};

const answerRequests = (log: RequestLog, query: URLSearchParams, response: ServerResponse): void => {
  const since = query.get('since') ?? '0';
  if (/^\d{1,15}$/.test(since)) answerJson(response, 200, log.page(Number(since), PAGE));
  else refuse(response, 400, 'since is a sequence number, a whole number from 0.');
};

/** `startedAtMs` (wall clock) is in every answer to /counters: counts begin there, and a change of it shows a restart. */
export const createAdminServer = (log: RequestLog, counters: Counters, startedAtMs: number): Server =>
  createServer((request, response) => {
    request.resume();
    const [path, query] = (request.url ?? '').split('?', 2);
    if (request.method !== 'GET') refuse(response, 405, 'Only GET is understood here.');
    else if (path === '/_ackproof/requests') answerRequests(log, new URLSearchParams(query), response);
    else if (path === '/_ackproof/counters') {
      answerJson(response, 200, { startedAtMs, pid: process.pid, listeners: counters.table() });
    } else refuse(response, 404, 'Known: /_ackproof/requests?since=N, /_ackproof/counters.');
  });
