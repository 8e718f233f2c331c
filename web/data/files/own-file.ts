import { decodeText } from "#contract/decode-text.ts";
import type { StoredFile } from "#contract/endpoints/files.ts";
import { isOwnOrigin, readBaseUrl } from "../session/base-url.ts";
import { attempt, pageFetch } from "../call.ts";
import type { Credentials } from "../session/credentials.ts";

const address = /\/v1\/(?:content|files)\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\//;

/** The id of the file that a URL in a message names; the URL may have any host. `undefined` for all other URLs. */
export function fileIdOf(stored: string): string | undefined {
  return /^(?:https?:|\/)/i.test(stored) ? address.exec(stored)?.groups?.["id"] : undefined;
}

/**
 * The URL from which this page reads a file. On the service's own origin it is one that requires the session and does
 * not contain the file's secret. A page of another origin has no cookie and uses the stored URL; a link's `download`
 * attribute has no effect there, so the URL asks for the download.
 */
export function sourceOf(stored: string, download = false): string {
  const id = fileIdOf(stored);
  if (id === undefined) return stored;
  if (!isOwnOrigin(readBaseUrl()))
    return download ? `${stored}${stored.includes("?") ? "&" : "?"}download=true` : stored;
  return `${storedAddress(id)}${download ? "?download=true" : ""}`;
}

/** The URL of the file's thumbnail; `undefined` for other URLs and on another origin. */
export function thumbnailOf(stored: string): string | undefined {
  const id = fileIdOf(stored);
  const base = readBaseUrl();
  return id === undefined || !isOwnOrigin(base) ? undefined : `${base}/v1/files/${id}/thumbnail`;
}

/** The URL of a listed file. On another origin it is a temporary one that needs no session. */
export function fileAddress({ id, url }: Pick<StoredFile, "id" | "url">): string {
  return isOwnOrigin(readBaseUrl()) ? storedAddress(id) : url;
}

/** The URL of a stored file in a message, which requires the session. */
export function storedAddress(id: string): string {
  return `${readBaseUrl()}/v1/files/${id}/content`;
}

/** A whole file; `undefined` if it has more bytes than `maxBytes`. Throws `CallError`. */
export async function readBytes(
  stored: string,
  maxBytes: number,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { response, isAll } = await requestBeginning(stored, maxBytes, credentials, signal);
  if (isAll) return new Uint8Array(await response.arrayBuffer());
  await response.body?.cancel();
  return undefined;
}

/** The beginning of a file as text, at most `maxBytes`, and whether that is the whole file. Throws `CallError`. */
export async function readBeginning(
  stored: string,
  maxBytes: number,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ text: string; isAll: boolean }> {
  const { response, isAll } = await requestBeginning(stored, maxBytes, credentials, signal);
  return { text: await decode(new Uint8Array(await response.arrayBuffer()), !isAll), isAll };
}

async function requestBeginning(
  stored: string,
  maxBytes: number,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ response: Response; isAll: boolean }> {
  const headers = { ...(await credentials.headers()), Range: `bytes=0-${maxBytes - 1}` };
  const options = { baseUrl: readBaseUrl(), fetch: pageFetch };
  const response = await attempt(options, sourceOf(stored), { signal }, headers);
  if (!(response instanceof Response)) throw response;
  const totalBytes = Number(response.headers.get("Content-Range")?.split("/")[1] ?? 0);
  return { response, isAll: response.status !== 206 || totalBytes <= maxBytes };
}

/** Decodes as the server does for models. The encoding detection is large, and is loaded only if the text is not UTF-8. */
async function decode(bytes: Uint8Array, isCut: boolean): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    const { analyse } = await import("chardet");
    return decodeText(bytes, isCut, analyse) ?? new TextDecoder().decode(bytes);
  }
}
