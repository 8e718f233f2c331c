import * as z from "zod/mini";
import type { JsonObject } from "./json.ts";
import { jsonObject } from "./shapes.ts";

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
