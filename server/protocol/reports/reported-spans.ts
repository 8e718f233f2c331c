import type { RunReportFields } from "#contract/endpoints/reports.ts";
import type { RunSpan } from "#contract/endpoints/traces.ts";

type Step = NonNullable<RunReportFields["steps"]>[number];
type ToolCall = NonNullable<RunReportFields["tool_calls"]>[number];
/** The fields of a report that its spans need. */
export type ReportedSteps = Pick<Partial<RunReportFields>, "steps" | "tool_calls" | "duration_ms">;

/** The steps and tool calls of a report as spans, in the shape of those that telemetry sends. */
export function reportedSpans(
  { steps, tool_calls: calls, duration_ms: durationMs }: ReportedSteps,
  model: { provider: string | null; model: string | null },
): RunSpan[] {
  const spans: RunSpan[] = [];
  const add = (span: Omit<RunSpan, "span_id">): string => {
    const id = String(spans.length + 1).padStart(16, "0");
    spans.push({ ...span, span_id: id });
    return id;
  };
  let stepType: "initial" | "tool-result" | "continue" = "initial";
  const inSteps = new Set<string>();
  for (const step of steps ?? []) {
    const id = add(stepSpan(step, stepType, model));
    const callsOfStep = step.tool_calls ?? [];
    for (const call of callsOfStep) {
      add(callSpan(call, id, timesOf(step)));
      inSteps.add(keyOf(call));
    }
    stepType = callsOfStep.length > 0 ? "tool-result" : "continue";
  }
  // Clients report a call both in its step and in the list of all calls.
  const others = (calls ?? []).filter((call) => !inSteps.has(keyOf(call)));
  for (const call of others) add(callSpan(call, null, { start_ms: 0, end_ms: durationMs ?? 0 }));
  return spans;
}

function keyOf({ tool_call_id: id, tool_name: name, tool_args: args }: ToolCall): string {
  return id ?? JSON.stringify([name, args ?? null]);
}

function timesOf({ start_ms: start, end_ms: end }: Pick<Step, "start_ms" | "end_ms">) {
  return { start_ms: start ?? 0, end_ms: Math.max(start ?? 0, end ?? 0) };
}

function stepSpan(
  step: Step,
  stepType: RunSpan["step_type"],
  { provider, model }: { provider: string | null; model: string | null },
): Omit<RunSpan, "span_id"> {
  return {
    ...noSpan,
    name: model === null ? "chat" : `chat ${model}`,
    operation: "chat",
    type: "generation",
    step_type: stepType,
    provider,
    model_id: model,
    finish_reason: step.finish_reason ?? null,
    ...timesOf(step),
    input_tokens: step.input_tokens ?? null,
    cached_input_tokens: step.cached_input_tokens ?? null,
    output_tokens: step.output_tokens ?? null,
    reasoning_tokens: step.reasoning_tokens ?? null,
    input: step.input ?? null,
  };
}

function callSpan(
  call: ToolCall,
  stepId: string | null,
  timesOfStep: { start_ms: number; end_ms: number },
): Omit<RunSpan, "span_id"> {
  return {
    ...noSpan,
    parent_span_id: stepId,
    name: `execute_tool ${call.tool_name}`,
    operation: "execute_tool",
    type: "tool_call",
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id ?? null,
    tool_source: call.tool_source ?? null,
    ...(call.start_ms == null ? timesOfStep : timesOf(call)),
    input: call.tool_args ?? null,
    output: call.tool_result ?? null,
    attributes: call.sampling_calls == null ? {} : { sampling_calls: call.sampling_calls },
  };
}

const noSpan = {
  parent_span_id: null,
  step_type: null,
  provider: null,
  model_id: null,
  tool_name: null,
  tool_call_id: null,
  tool_source: null,
  status: "ok",
  error_type: null,
  finish_reason: null,
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  input: null,
  output: null,
  attributes: {},
} satisfies Partial<RunSpan>;
