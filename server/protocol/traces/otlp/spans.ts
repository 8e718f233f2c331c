import type { Json, JsonObject } from "#contract/json.ts";
import { isJsonObject } from "#contract/json.ts";

/** A span of an OTLP export in JSON or protobuf: ids in hexadecimal, times in milliseconds since 1970. */
export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  startedMs: number;
  endedMs: number;
  failed: boolean;
  attributes: JsonObject;
  resource: JsonObject;
};

type UnknownObject = Record<string, unknown>;

/**
 * The spans of an export. `broken` counts spans without a valid id or start time. OTLP's JSON has ids in hexadecimal and
 * large numbers as strings. Decoded protobuf has bytes and bigints, and a `oneof` as `{ case, value }`.
 */
export function readSpans(request: unknown): { spans: OtlpSpan[]; broken: number } {
  let broken = 0;
  const spans = listOf(request, "resourceSpans").flatMap((resourceSpans) => {
    const resource = attributesOf(fieldOf(resourceSpans, "resource"));
    return listOf(resourceSpans, "scopeSpans").flatMap((scope) =>
      listOf(scope, "spans").flatMap((span) => {
        const read = readSpan(span, resource);
        if (read === undefined) broken += 1;
        return read ?? [];
      }),
    );
  });
  return { spans, broken };
}

function readSpan(span: unknown, resource: JsonObject): OtlpSpan | undefined {
  const traceId = idOf(fieldOf(span, "traceId"), 32);
  const spanId = idOf(fieldOf(span, "spanId"), 16);
  const startedMs = millisecondsOf(fieldOf(span, "startTimeUnixNano"));
  const endedMs = millisecondsOf(fieldOf(span, "endTimeUnixNano"));
  if (traceId === undefined || spanId === undefined || startedMs === undefined) return undefined;
  const code = fieldOf(fieldOf(span, "status"), "code");
  const name = fieldOf(span, "name");
  return {
    traceId,
    spanId,
    parentSpanId: idOf(fieldOf(span, "parentSpanId"), 16) ?? null,
    name: typeof name === "string" ? name : "",
    startedMs,
    endedMs: Math.max(startedMs, endedMs ?? startedMs),
    failed: code === 2 || code === "STATUS_CODE_ERROR",
    attributes: attributesOf(span),
    resource,
  };
}

function attributesOf(owner: unknown): JsonObject {
  return Object.fromEntries(
    listOf(owner, "attributes").flatMap((entry) => {
      const key = fieldOf(entry, "key");
      return typeof key === "string" ? [[key, valueOf(fieldOf(entry, "value"))]] : [];
    }),
  );
}

function valueOf(value: unknown): Json {
  const [kind, inside] = oneOf(value);
  switch (kind) {
    case "stringValue":
      return typeof inside === "string" ? inside : null;
    case "boolValue":
      return inside === true;
    case "intValue":
    case "doubleValue":
      return numberOf(inside);
    case "arrayValue":
      return listOf(inside, "values").map(valueOf);
    case "kvlistValue":
      return attributesOf({ attributes: listOf(inside, "values") });
    case "bytesValue":
      return inside instanceof Uint8Array
        ? Buffer.from(inside).toString("base64")
        : typeof inside === "string"
          ? inside
          : null;
    default:
      return null;
  }
}

/** JSON has large numbers as strings. Other types are not numbers, although JavaScript could convert them. */
function numberOf(value: unknown): number | null {
  if (typeof value !== "bigint" && typeof value !== "string" && typeof value !== "number") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function oneOf(value: unknown): [kind: string, inside: unknown] {
  const chosen = fieldOf(value, "value");
  if (isObject(chosen) && typeof chosen.case === "string") return [chosen.case, chosen.value];
  return isJsonObject(value) ? (Object.entries(value)[0] ?? ["", undefined]) : ["", undefined];
}

function idOf(id: unknown, length: number): string | undefined {
  const text = id instanceof Uint8Array ? Buffer.from(id).toString("hex") : id;
  if (typeof text !== "string" || text.length !== length || !/^[0-9a-f]+$/i.test(text)) return undefined;
  return /^0+$/.test(text) ? undefined : text.toLowerCase();
}

function millisecondsOf(nanoseconds: unknown): number | undefined {
  const milliseconds = (numberOf(nanoseconds) ?? 0) / 1e6;
  // The range of JavaScript dates.
  return milliseconds > 0 && milliseconds < 8.64e15 ? milliseconds : undefined;
}

function listOf(owner: unknown, name: string): unknown[] {
  const list = fieldOf(owner, name);
  return Array.isArray(list) ? list : [];
}

function fieldOf(owner: unknown, name: string): unknown {
  return isObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null;
}
