import type { JsonObject } from "#contract/json.ts";
import type { Reply } from "#contract/fold.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { Row } from "#storage/database/tables.ts";
import { resultOf } from "#server/parts/tool-call.ts";
import { isoTime } from "#server/lib/clock.ts";
import type { RunRow } from "../rows.ts";

/** A request to a model, with its body if that was kept. */
export type ReplayedRequest = { row: Row<"model_requests">; body: string | undefined };

/** A run in the event format of AG-UI (`@ag-ui/core` 1.0). Its texts are whole, not in the pieces in which they came. */
export function agUiEvents(run: RunRow, reply: Reply, requests: readonly ReplayedRequest[]): JsonObject[] {
  const ids = { threadId: run.thread_id ?? "", runId: run.id };
  const ends = [...new Set([...(reply.stepEnds ?? []), reply.parts.length])];
  const steps = Math.max(ends.length, ...requests.map(({ row }) => row.step));
  const events: JsonObject[] = [{ type: "RUN_STARTED", ...ids, timestamp: run.created_at }];
  for (let step = 1; step <= steps; step++) {
    const sent = requests.filter(({ row }) => row.step === step);
    const parts = reply.parts.slice(ends[step - 2] ?? (step === 1 ? 0 : reply.parts.length), ends[step - 1]);
    if (sent.length === 0 && parts.length === 0) continue;
    const stepName = `step ${step}`;
    events.push(
      { type: "STEP_STARTED", stepName },
      ...sent.flatMap(requestEvents),
      ...parts.flatMap((part, index) => partEvents(part, `${run.reply_id ?? run.id}_${step}_${index}`)),
      { type: "STEP_FINISHED", stepName },
    );
  }
  return [...events, endOf(run, reply, ids)];
}

function endOf(run: RunRow, { end }: Reply, ids: { threadId: string; runId: string }): JsonObject {
  const timestamp = run.ended_at ?? run.created_at;
  if (end?.error !== undefined)
    return { type: "RUN_ERROR", message: end.error.message, code: end.error.code, timestamp };
  const result = {
    state: run.state,
    finish_reason: run.finish_reason,
    usage: {
      input_tokens: run.input_tokens,
      output_tokens: run.output_tokens,
      reasoning_tokens: run.reasoning_tokens,
      cached_tokens: run.cached_tokens,
    },
    cost_usd: run.cost_micros === null ? null : run.cost_micros / 1e6,
  };
  return { type: "RUN_FINISHED", ...ids, timestamp, result };
}

function requestEvents({ row, body }: ReplayedRequest): JsonObject[] {
  const value = {
    id: row.id,
    attempt: row.attempt,
    model: row.model,
    host: row.host,
    body_bytes: row.body_bytes,
    body_sha256: row.body_sha256,
    sent_at: isoTime(row.sent_at),
    first_token_at: isoTime(row.first_token_at),
    ended_at: isoTime(row.ended_at),
    outcome: row.outcome,
    error_code: row.error_code,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    reasoning_tokens: row.reasoning_tokens,
    cached_tokens: row.cached_tokens,
    cost_usd: row.cost_micros === null ? null : row.cost_micros / 1e6,
  };
  const timestamp = row.sent_at;
  return [
    { type: "CUSTOM", name: "parlance.request", value, timestamp },
    // A text, so that its hash is that of the request.
    ...(body === undefined ? [] : [{ type: "RAW", event: body, source: row.host, timestamp }]),
  ];
}

function partEvents(part: Part, id: string): JsonObject[] {
  switch (part.type) {
    case "text":
      return textEvents("TEXT_MESSAGE", id, "assistant", part.text);
    case "reasoning":
      return textEvents("REASONING_MESSAGE", id, "reasoning", part.text);
    case "tool-call": {
      const { toolCallId, toolName, argsText, timing } = part;
      const { result } = resultOf(part);
      const content = typeof result === "string" ? result : JSON.stringify(result);
      const at = (time: number | undefined) => (time === undefined ? {} : { timestamp: time });
      return [
        { type: "TOOL_CALL_START", toolCallId, toolCallName: toolName, ...at(timing?.startedAt) },
        ...(argsText === "" ? [] : [{ type: "TOOL_CALL_ARGS", toolCallId, delta: argsText }]),
        { type: "TOOL_CALL_END", toolCallId },
        {
          type: "TOOL_CALL_RESULT",
          messageId: `${id}_result`,
          toolCallId,
          content,
          role: "tool",
          ...at(timing?.completedAt),
        },
      ];
    }
    default:
      return [{ type: "CUSTOM", name: "parlance.part", value: part }];
  }
}

function textEvents(type: string, messageId: string, role: string, text: string): JsonObject[] {
  return [
    { type: `${type}_START`, messageId, role },
    ...(text === "" ? [] : [{ type: `${type}_CONTENT`, messageId, delta: text }]),
    { type: `${type}_END`, messageId },
  ];
}
