import * as z from "zod/mini";
import type { JsonObject } from "../json.ts";
import { jsonObject } from "./fields.ts";
import { limits } from "../limits.ts";
import type { Endpoints } from "../endpoint.ts";

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
  resourceSpans: z
    .optional(z.array(jsonObject))
    .check(z.describe("OpenTelemetry's ExportTraceServiceRequest, in JSON or protobuf.")),
});

/** `{}` if every span was stored. */
export const traceExportResponse = z.object({
  partialSuccess: z
    .optional(z.object({ rejectedSpans: z.number(), errorMessage: z.string() }))
    .check(z.describe("The number of spans that were not stored, and the reason.")),
});
export type TraceExportResponse = z.infer<typeof traceExportResponse>;

export const runSpan = z
  .object({
    span_id: z.string(),
    parent_span_id: z.nullable(z.string()),
    name: z.string(),
    operation: z
      .nullable(z.string())
      .check(z.describe("chat, execute_tool, invoke_agent or another operation of OpenTelemetry.")),
    type: z.nullable(z.enum(["generation", "tool_call"])),
    step_type: z
      .nullable(z.enum(["initial", "tool-result", "continue", "sampling"]))
      .check(
        z.describe(
          "Of a generation: the first one, one after a tool ran, another one, or one that a tool requested.",
        ),
      ),
    provider: z.nullable(z.string()),
    model_id: z.nullable(z.string()),
    tool_name: z.nullable(z.string()),
    tool_call_id: z.nullable(z.string()),
    tool_source: z.nullable(z.string()).check(z.describe("mcp, frontend or backend, if it was reported.")),
    status: z.enum(["ok", "error"]),
    error_type: z.nullable(z.string()),
    finish_reason: z.nullable(z.string()),
    start_ms: z.number().check(z.describe("Milliseconds from the start of the run.")),
    end_ms: z.number().check(z.describe("Milliseconds from the start of the run.")),
    input_tokens: z.nullable(z.number()),
    cached_input_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    input: z.nullable(z.string()).check(z.describe("The recorded input of the model or tool.")),
    output: z.nullable(z.string()).check(z.describe("The recorded output.")),
    attributes: jsonObject,
  })
  .check(
    z.meta({
      id: "RunSpan",
      description: "A step or tool call of a run, from the application's telemetry or its report.",
    }),
  );
export type RunSpan = z.infer<typeof runSpan>;

export const traceEndpoints = {
  "traces.add": {
    method: "POST",
    path: "/v1/traces",
    caller: "key",
    audit: { none: "own-content" },
    summary: "Record runs from OpenTelemetry spans",
    description:
      "For OpenTelemetry exporters: JSON or protobuf (`application/x-protobuf`), uncompressed or with gzip or deflate. Each trace with spans of generative AI (`gen_ai.operation.name`, or a name that begins with `gen_ai.`, `ai.` or `llm.`) becomes one run, or extends the run that was reported with its id. `gen_ai.conversation.id` names its thread. At most 500 spans of a trace are stored. The response counts the rejected ones, including spans of other kinds. Measurements of spans replace those of a report; the reported outcome is kept. Repeating an export changes nothing.",
    body: traceExport,
    bodyBytesMax: limits.traceBytes,
    bodyFormat: "otlp",
    defaultWorkspace: telemetryWorkspace,
    kind: "json",
    status: 200,
    response: traceExportResponse,
    errors: ["bad-export", "unsupported-type", "unsupported-encoding"],
    example: { body: { resourceSpans: [] } },
  },
} as const satisfies Endpoints;
