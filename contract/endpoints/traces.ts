import * as z from "zod/mini";
import type { JsonObject } from "../json.ts";
import { described, jsonObject, namedObject } from "./fields.ts";
import { limits } from "../limits.ts";
import { endpoints } from "./endpoints.ts";

/** An OTLP export as it was received: JSON, or protobuf that is not decoded yet. */
export type TraceExport =
  | { encoding: "json"; json: JsonObject }
  | { encoding: "protobuf"; bytes: Uint8Array };

/** The workspace of runs that are known from telemetry only and name no thread and no workspace. */
export const telemetryWorkspace = "__OTLP__";

/** A JSON body. Protobuf bodies are not parsed with this schema. */
export const traceExport = z.pipe(
  jsonObject,
  z.transform((json: JsonObject): TraceExport => ({ encoding: "json", json })),
);

/** The shape of `traceExport`, for the API reference. */
export const traceExportShape = z.object({
  resourceSpans: described(
    z.optional(z.array(jsonObject)),
    "OpenTelemetry's ExportTraceServiceRequest, in JSON or protobuf.",
  ),
});

/** `{}` if every span was stored. */
export const traceExportResponse = z.object({
  partialSuccess: described(
    z.optional(z.object({ rejectedSpans: z.number(), errorMessage: z.string() })),
    "The number of spans that were not stored, and the reason.",
  ),
});
export type TraceExportResponse = z.infer<typeof traceExportResponse>;

export const runSpan = namedObject(
  "RunSpan",
  "A step or tool call of a run, from the application's telemetry or its report.",
  {
    span_id: z.string(),
    parent_span_id: z.nullable(z.string()),
    name: z.string(),
    operation: described(
      z.nullable(z.string()),
      "chat, execute_tool, invoke_agent or another operation of OpenTelemetry.",
    ),
    type: z.nullable(z.enum(["generation", "tool_call"])),
    step_type: described(
      z.nullable(z.enum(["initial", "tool-result", "continue", "sampling"])),
      "Of a generation: the first one, one after a tool ran, another one, or one that a tool requested.",
    ),
    provider: z.nullable(z.string()),
    model_id: z.nullable(z.string()),
    tool_name: z.nullable(z.string()),
    tool_call_id: z.nullable(z.string()),
    tool_source: described(z.nullable(z.string()), "mcp, frontend or backend, if it was reported."),
    status: z.enum(["ok", "error"]),
    error_type: z.nullable(z.string()),
    finish_reason: z.nullable(z.string()),
    start_ms: described(z.number(), "Milliseconds from the start of the run."),
    end_ms: described(z.number(), "Milliseconds from the start of the run."),
    input_tokens: z.nullable(z.number()),
    cached_input_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    input: described(z.nullable(z.string()), "The recorded input of the model or tool."),
    output: described(z.nullable(z.string()), "The recorded output."),
    attributes: jsonObject,
  },
);
export type RunSpan = z.infer<typeof runSpan>;

export const traceEndpoints = endpoints("key", {
  "traces.add": {
    request: "POST /v1/traces",
    audit: { none: "own-content" },
    summary: "Record runs from OpenTelemetry spans",
    description:
      "For OpenTelemetry exporters: JSON or protobuf (`application/x-protobuf`), uncompressed or with gzip or deflate. Each trace with spans of generative AI (`gen_ai.operation.name`, or a name that begins with `gen_ai.`, `ai.` or `llm.`) becomes one run, or extends the run that was reported with its id. `gen_ai.conversation.id` names its thread. At most 500 spans of a trace are stored. The response counts the rejected ones, including spans of other kinds. Measurements of spans replace those of a report; the reported outcome is kept. Repeating an export changes nothing.",
    body: traceExport,
    bodyBytesMax: limits.traceBytes,
    bodyFormat: "otlp",
    defaultWorkspace: telemetryWorkspace,
    response: traceExportResponse,
    errors: ["bad-export", "unsupported-type", "unsupported-encoding"],
    example: { body: { resourceSpans: [] } },
  },
});
