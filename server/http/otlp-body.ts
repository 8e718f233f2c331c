import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { isJsonObject } from "#contract/json.ts";
import type { TraceExport } from "#contract/endpoints/traces.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import { parseJson, readBytes, type BodyBounds } from "./body.ts";

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/**
 * An OTLP export, told apart by its type. What is packed is unpacked no further than is taken, however much more it
 * holds. Throws `unsupported-type`, `unsupported-encoding`, `too-large`, `bad-json`, `bad-export`.
 */
export async function readExport(incoming: IncomingMessage, bounds: BodyBounds): Promise<TraceExport> {
  const type = (incoming.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const isJson = type === "application/json";
  if (!isJson && type !== "application/x-protobuf" && type !== "application/protobuf")
    throw new AppError("unsupported-type");
  const packing = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (packing !== "identity" && packing !== "gzip" && packing !== "deflate")
    throw new AppError("unsupported-encoding");
  const sent = await readBytes(incoming, bounds);
  const bytes = packing === "identity" ? sent : await unpacked(sent, packing, bounds.bytesMax);
  if (!isJson) return { encoding: "protobuf", bytes };
  const json = parseJson(bytes);
  if (!isJsonObject(json)) throw badRequest("body", "must be a JSON object");
  return { encoding: "json", json };
}

async function unpacked(bytes: Buffer, packing: keyof typeof unpackers, bytesMax: number): Promise<Buffer> {
  try {
    return await unpackers[packing](bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    const { code } = cause as { code?: string };
    throw new AppError(code === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "bad-export", { cause });
  }
}
