import * as z from "zod/mini";
import type { JsonObject } from "../json.ts";
import { jsonObject } from "./fields.ts";
import { limits } from "../limits.ts";
import type { Endpoints } from "../endpoint.ts";

/** An OTLP export as it arrived: JSON, or protobuf that is still packed in its bytes. */
export type TraceExport =
  | { encoding: "json"; json: JsonObject }
  | { encoding: "protobuf"; bytes: Uint8Array };

/** The workspace of runs that nothing but telemetry tells of, where no thread and no workspace is named. */
export const telemetryWorkspace = "__OTLP__";

/** The body as JSON. In protobuf it is no text, and does not pass here. */
export const traceExport = z.pipe(
  jsonObject,
  z.transform((json: JsonObject): TraceExport => ({ encoding: "json", json })),
);

/** What `traceExport` is, for the API reference. */
export const traceExportShape = z.object({
  resourceSpans: z
    .optional(z.array(jsonObject))
    .check(z.describe("OpenTelemetry's ExportTraceServiceRequest, in JSON or protobuf.")),
});

/** `{}` where every span was kept. */
export const traceExported = z.object({
  partialSuccess: z
    .optional(z.object({ rejectedSpans: z.number(), errorMessage: z.string() }))
    .check(z.describe("How many spans were not kept, and why.")),
});
export type TraceExported = z.infer<typeof traceExported>;

/** A step of a run as its application's own telemetry told it. */
export const runSpan = z
  .object({
    span_id: z.string(),
    parent_span_id: z.nullable(z.string()),
    name: z.string(),
    operation: z
      .nullable(z.string())
      .check(z.describe("chat, execute_tool, invoke_agent or another of OpenTelemetry's.")),
    type: z.nullable(z.enum(["generation", "tool_call"])),
    provider: z.nullable(z.string()),
    model_id: z.nullable(z.string()),
    tool_name: z.nullable(z.string()),
    tool_call_id: z.nullable(z.string()),
    status: z.enum(["ok", "error"]),
    error_type: z.nullable(z.string()),
    finish_reason: z.nullable(z.string()),
    start_ms: z.number().check(z.describe("Milliseconds from the start of the run.")),
    end_ms: z.number().check(z.describe("Milliseconds from the start of the run.")),
    input_tokens: z.nullable(z.number()),
    cached_input_tokens: z.nullable(z.number()),
    output_tokens: z.nullable(z.number()),
    reasoning_tokens: z.nullable(z.number()),
    input: z
      .nullable(z.string())
      .check(z.describe("What the model or the tool was given, as it was recorded.")),
    output: z.nullable(z.string()).check(z.describe("What it answered, as it was recorded.")),
    attributes: jsonObject,
  })
  .check(
    z.meta({ id: "RunSpan", description: "A step of a run, as its application's own telemetry told it." }),
  );
export type RunSpan = z.infer<typeof runSpan>;

export const traceEndpoints = {
  "traces.add": {
    method: "POST",
    path: "/v1/traces",
    caller: "key",
    summary: "Record runs by the spans of an application's telemetry",
    description:
      "For OpenTelemetry's exporters, in JSON or protobuf (`application/x-protobuf`), as it is or packed with gzip or deflate. Spans of generative AI (`gen_ai.operation.name`, or a name that begins with `gen_ai.`, `ai.` or `llm.`) make one run of each trace, or extend the run that was reported under it; `gen_ai.conversation.id` names its thread. At most 500 spans of a trace are kept; others, and spans of other things, are counted in the answer. What spans measure goes before what a report said; how the run ended is as it was reported. The same export again changes nothing.",
    body: traceExport,
    bodyBytesMax: limits.traceBytes,
    bodyFormat: "otlp",
    defaultWorkspace: telemetryWorkspace,
    kind: "json",
    status: 200,
    response: traceExported,
    errors: ["bad-export", "unsupported-type", "unsupported-encoding"],
    example: { body: { resourceSpans: [] } },
  },
} as const satisfies Endpoints;
