import { throwFileNotFound } from "../../contents.ts";
import type { BodyOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { GuardedFetch } from "#server/fetch/guarded-fetch.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import type { Contents, StoredFile } from "#server/files/contents.ts";
import type { Downloads } from "../downloads.ts";

const types = ["application/pdf", "application/x-pdf"];
/** The part of a data URL before the comma. */
const dataHead = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const dataHeadCharacters = 1_000;
const ownAddress = /^\/v1\/content\/([^/]+)\/([^/.]+)(?:\.[a-z0-9]+)?$/;
/** The web app's URL of a file. It has no secret, so the visitor must be a member of the file's workspace. */
const ofWorkspaceAddress = /^\/v1\/files\/([^/?#]+)\/content$/;

/** `blobKey`: of a stored file. */
export type SentPdf = { bytes: Uint8Array; field: "body.file_blob" | "body.file_url"; blobKey?: string };

/**
 * The bytes that a request contains or refers to. URLs of stored files are read from the blob store, others are fetched
 * by the guarded fetch. Throws `bad-request`, `pdf-too-large`, and what reading a file or fetching throws.
 */
export function createReadSentPdf(options: {
  guardedFetch: GuardedFetch;
  downloads: Pick<Downloads, "findByLink" | "findInWorkspace">;
  contents: Pick<Contents, "bytes">;
}) {
  const { guardedFetch, downloads, contents } = options;

  /** `bases` are the URLs of this service. */
  return async (
    visitor: Visitor,
    body: BodyOf<"files.pdfToImages">,
    request: RequestFacts,
    bases: readonly string[],
  ): Promise<SentPdf> => {
    if (body.file_blob !== undefined) return { bytes: decoded(body.file_blob), field: "body.file_blob" };
    const field = "body.file_url";
    const url = body.file_url!;
    const own = bases.map((base) => ownPart(url, base)).find((part) => part !== undefined);
    if (own !== undefined) {
      const file = await ownFile(visitor, own);
      if (file.size_bytes > limits.pdfBytes) throw new AppError("pdf-too-large");
      return { bytes: await bytesOf(file, request.signal), field, blobKey: file.blob_key };
    }
    const fetchLimits = { types, bytesMax: limits.pdfBytes, signal: request.signal };
    const { bytes } = await guardedFetch({ url, field, ...fetchLimits });
    return { bytes, field };
  };

  async function bytesOf(file: StoredFile, signal: AbortSignal): Promise<Uint8Array> {
    return await contents.bytes(file, { maxBytes: limits.pdfBytes, signal }).catch(throwFileNotFound);
  }

  async function ownFile(visitor: Visitor, url: URL): Promise<StoredFile> {
    const [, named] = ofWorkspaceAddress.exec(url.pathname) ?? [];
    if (named !== undefined) return await downloads.findInWorkspace(visitor, named);
    const [, id = "", place = ""] = ownAddress.exec(url.pathname) ?? [];
    const expires = url.searchParams.get("expires");
    return await downloads.findByLink(id, {
      place,
      expires: expires === null ? undefined : Number(expires),
      signature: url.searchParams.get("signature") ?? undefined,
    });
  }
}

/** The URL, if it is a file's URL under `base` or the path of a file of the workspace. */
function ownPart(address: string, base: string): URL | undefined {
  if (ofWorkspaceAddress.test(address)) return new URL(address, base);
  if (!URL.canParse(address)) return undefined;
  const [url, own] = [new URL(address), new URL(base)];
  if (url.origin !== own.origin || `${url.username}${url.password}` !== "") return undefined;
  const prefix = own.pathname.replace(/\/$/, "");
  if (!url.pathname.startsWith(`${prefix}/`)) return undefined;
  url.pathname = url.pathname.slice(prefix.length);
  return ownAddress.test(url.pathname) || ofWorkspaceAddress.test(url.pathname) ? url : undefined;
}

/** A data URL or bare base64, as clients of the protocol send either. */
function decoded(blob: string): Buffer {
  const head = dataHead.exec(blob.slice(0, dataHeadCharacters));
  if (blob.startsWith("data:") && head === null)
    throw badRequest("body.file_blob", "must be a data URL such as data:application/pdf;base64,JVBERi0…");
  const [whole = "", type = "", parameters = ""] = head ?? [];
  if (head !== null && !/;base64$/i.test(parameters)) throw badRequest("body.file_blob", "must be in base64");
  if (head !== null && ![...types, "", "application/octet-stream"].includes(type.trim().toLowerCase()))
    throw badRequest("body.file_blob", "must be of the type application/pdf");
  const text = blob.slice(whole.length);
  // No other part of the expression matches the padding's first character, so it takes linear time.
  if (!/^[\w+/\s-]*(?:=[=\s]*)?$/.test(text)) throw badRequest("body.file_blob", "must be in base64");
  return Buffer.from(text, "base64");
}
