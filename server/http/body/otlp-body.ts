import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { isJsonObject } from "#contract/json.ts";
import type { TraceExport } from "#contract/endpoints/traces.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { parseJson, readBytes, type BodyLimits } from "./read-bytes.ts";

const decompressors = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/**
 * Reads an OTLP export, in JSON or protobuf by its content type. A compressed body is decompressed up to
 * `limits.bytesMax`. Throws `unsupported-type`, `unsupported-encoding`, `too-large`, `bad-json`, `bad-export`.
 */
export async function readOtlpExport(incoming: IncomingMessage, limits: BodyLimits): Promise<TraceExport> {
  const type = (incoming.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const isJson = type === "application/json";
  if (!isJson && type !== "application/x-protobuf" && type !== "application/protobuf")
    throw new AppError("unsupported-type");
  const encoding = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "deflate")
    throw new AppError("unsupported-encoding");
  const sent = await readBytes(incoming, limits);
  const bytes = encoding === "identity" ? sent : await decompress(sent, encoding, limits.bytesMax);
  if (!isJson) return { encoding: "protobuf", bytes };
  const json = parseJson(bytes);
  if (!isJsonObject(json)) throw badRequest("body", "must be a JSON object");
  return { encoding: "json", json };
}

async function decompress(
  bytes: Buffer,
  encoding: keyof typeof decompressors,
  bytesMax: number,
): Promise<Buffer> {
  try {
    return await decompressors[encoding](bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    const { code } = cause as { code?: string };
    throw new AppError(code === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "bad-export", { cause });
  }
}
