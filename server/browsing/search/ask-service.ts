import { isJsonObject, parseJson, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { SearchServiceName, WebSearchProblem } from "#contract/web-search/endpoints.ts";
import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { createOutgoingFetch } from "#server/fetch/outgoing-fetch.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import { searchServices, type FoundPage } from "./services.ts";

/** A search that failed. `serviceText`: what the service said about it. */
export class WebSearchError extends Error {
  override readonly name = "WebSearchError";
  readonly problem: WebSearchProblem;
  readonly serviceText: string | undefined;
  constructor(problem: WebSearchProblem, options: { serviceText?: string; cause?: unknown } = {}) {
    super(problem, { cause: options.cause });
    this.problem = problem;
    this.serviceText = options.serviceText;
  }
}

export type Connection = {
  service: SearchServiceName;
  /** Without a slash at the end. */
  address: string;
  key: string;
  isPublicOnly: boolean;
  proxy: OutgoingProxy | undefined;
};

const answerBytesMax = 4 * 1024 * 1024;
const serviceTextMax = 300;

/** The pages that the service finds, the best first, at most `count`. Throws `WebSearchError` and the signal's reason. */
export async function askService(
  { service, address, key, isPublicOnly, proxy }: Connection,
  { query, count, signal }: { query: string; count: number; signal: AbortSignal },
): Promise<FoundPage[]> {
  const { request, read } = searchServices[service];
  const { url, method = "GET", headers = {}, body } = request({ query, count, address, key });
  const timeout = AbortSignal.timeout(limits.webSearchTimeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await createOutgoingFetch({ isPublicOnly, proxy })(url, {
      method,
      headers: {
        Accept: "application/json",
        ...headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key must not reach another host.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    text = await readText(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WebSearchError) throw error;
    if (timeout.aborted) throw new WebSearchError("timeout", { cause: error });
    throw new WebSearchError(error instanceof ForbiddenAddressError ? "private" : "unreachable", {
      cause: error,
    });
  }
  return read(answerOf(service, response.status, text)).slice(0, count);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > answerBytesMax) throw new WebSearchError("not-understood");
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerOf(service: SearchServiceName, status: number, text: string): JsonObject {
  const answer = parseJson(text);
  if (status >= 200 && status < 300 && isJsonObject(answer)) return answer;
  const serviceText = messageIn(answer) ?? (/^\s*</.test(text) ? undefined : text.trim());
  throw new WebSearchError(
    problemOf(service, status),
    serviceText ? { serviceText: serviceText.slice(0, serviceTextMax) } : {},
  );
}

function problemOf(service: SearchServiceName, status: number): WebSearchProblem {
  // SearXNG answers only in the formats that its settings list.
  if (service === "searxng" && (status === 403 || status < 300)) return "json-off";
  if (status === 401 || status === 403) return "key-refused";
  if (status === 402 || status === 429 || status === 432 || status === 433) return "used-up";
  return status < 300 ? "not-understood" : "refused";
}

/** The message of an error, wherever the service puts it. */
function messageIn(answer: unknown): string | undefined {
  if (typeof answer === "string") return answer;
  if (Array.isArray(answer)) return messageIn(answer[0]);
  if (!isJsonObject(answer)) return undefined;
  const { error, detail, message, msg } = answer;
  return messageIn(error) ?? messageIn(detail) ?? messageIn(message) ?? messageIn(msg);
}
