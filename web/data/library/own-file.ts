import { decodeText } from "#contract/decode-text.ts";
import type { StoredFile } from "#contract/endpoints/files.ts";
import { readBaseUrl } from "../session/base-url.ts";
import { attempt } from "../call.ts";
import type { Credentials } from "../session/credentials.ts";

const address = /\/v1\/(?:content|files)\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\//;

/** The file of this service that an address in a message names, under whichever host it was stored. */
export function fileIdOf(stored: string): string | undefined {
  return /^(?:https?:|\/)/i.test(stored) ? address.exec(stored)?.groups?.["id"] : undefined;
}

/**
 * Where this page reads such a file: its own address, which wants the person's credential and tells nobody the file's
 * secret. A page of another origin has no cookie there, and takes the address as it is stored; a link's `download` says
 * nothing there either, so that the address does.
 */
export function sourceOf(stored: string, download = false): string {
  const id = fileIdOf(stored);
  if (id === undefined) return stored;
  if (readBaseUrl() !== "")
    return download ? `${stored}${stored.includes("?") ? "&" : "?"}download=true` : stored;
  return `/v1/files/${id}/content${download ? "?download=true" : ""}`;
}

/** Where this page reads a small picture of such a file; `undefined` where it cannot, as with any other address. */
export function thumbnailOf(stored: string): string | undefined {
  const id = fileIdOf(stored);
  return id === undefined || readBaseUrl() !== "" ? undefined : `/v1/files/${id}/thumbnail`;
}

/** The address of a listed file: of a service on another origin, the one that opens it for a while without a cookie. */
export function fileAddress({ id, url }: Pick<StoredFile, "id" | "url">): string {
  return readBaseUrl() === "" ? `/v1/files/${id}/content` : url;
}

/** The beginning of a file as text, at most `bytesMax` of it, and whether that is all. Throws `CallError`. */
export async function readBeginning(
  stored: string,
  bytesMax: number,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ text: string; isAll: boolean }> {
  const headers = { ...(await credentials.headers()), Range: `bytes=0-${bytesMax - 1}` };
  const fetch = async (url: string, init: RequestInit) => await window.fetch(url, init);
  const answer = await attempt({ baseUrl: readBaseUrl(), fetch }, sourceOf(stored), { signal }, headers);
  if (!(answer instanceof Response)) throw answer;
  const whole = Number(answer.headers.get("Content-Range")?.split("/")[1] ?? 0);
  const isAll = answer.status !== 206 || whole <= bytesMax;
  return { text: await textOf(new Uint8Array(await answer.arrayBuffer()), !isAll), isAll };
}

/** As models read it too. What tells older encodings apart is large, and most texts are UTF-8. */
async function textOf(bytes: Uint8Array, isCut: boolean): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    const { analyse } = await import("chardet");
    return decodeText(bytes, isCut, analyse) ?? new TextDecoder().decode(bytes);
  }
}
