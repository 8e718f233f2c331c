import * as z from "zod/mini";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Kind, PartEvent } from "./kind.ts";

/** A tool call: `argsText` is what the model wrote; `args` is there once it is a JSON object. `result` may be falsy. */
export type ToolCallPart = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  argsText: string;
  args?: JsonObject;
  result?: Json;
  isError?: boolean;
  /**
   * Where a person is asked whether it may be carried out. `approved` is their decision; `resolution` says that nobody
   * will decide any more.
   */
  approval?: {
    id: string;
    approved?: boolean;
    reason?: string;
    isAutomatic?: true;
    resolution?: "cancelled";
  };
  /** Milliseconds since 1970. */
  timing?: { startedAt: number; completedAt?: number };
};

export type ToolCallEvent =
  | PartEvent<"tool-call-start", { tool_call_id: string; tool_name: string; at: number }>
  | PartEvent<"tool-call-delta", { args_text: string }>
  | PartEvent<"tool-call-end">
  /** A person is to allow it or not. */
  | PartEvent<"tool-call-ask">
  /** They did, or did not. `automatic`: by what they said of such calls before. A denial is followed by its result. */
  | PartEvent<"tool-call-decision", { approved: boolean; reason?: string; automatic?: true; at: number }>
  /** Nobody decides any more: the run ended. */
  | PartEvent<"tool-call-withdrawn">
  | PartEvent<"tool-call-result", { result: Json; is_error?: boolean; at: number }>;

export const toolCallSchema: z.ZodMiniType<ToolCallPart> = z.looseObject({
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  toolName: z.string(),
}) as unknown as z.ZodMiniType<ToolCallPart>;

export const toolCall: Kind<ToolCallPart, ToolCallEvent> = {
  text: () => "",
  events: {
    "tool-call-start": true,
    "tool-call-delta": true,
    "tool-call-end": true,
    "tool-call-ask": true,
    "tool-call-decision": true,
    "tool-call-withdrawn": true,
    "tool-call-result": true,
  },
  fold(part, event) {
    switch (event.type) {
      case "tool-call-start":
        return (
          part ?? {
            type: "tool-call",
            toolCallId: event.tool_call_id,
            toolName: event.tool_name,
            argsText: "",
            timing: { startedAt: event.at },
          }
        );
      case "tool-call-delta":
        return part && { ...part, argsText: part.argsText + event.args_text };
      case "tool-call-end":
        return part && withArgs(part);
      case "tool-call-ask":
        return part && { ...withArgs(part), approval: { id: part.toolCallId } };
      case "tool-call-decision":
        return part && decided(part, event);
      case "tool-call-withdrawn":
        return part?.approval === undefined || part.approval.approved !== undefined
          ? part
          : { ...part, approval: { ...part.approval, resolution: "cancelled" } };
      case "tool-call-result":
        return (
          part && {
            ...withArgs(part),
            result: event.result,
            ...(event.is_error ? { isError: true } : {}),
            timing: { startedAt: part.timing?.startedAt ?? event.at, completedAt: event.at },
          }
        );
    }
  },
};

function decided(
  part: ToolCallPart,
  { approved, reason, automatic, at }: Extract<ToolCallEvent, { type: "tool-call-decision" }>,
): ToolCallPart {
  return {
    ...withArgs(part),
    approval: {
      id: part.toolCallId,
      approved,
      ...(reason === undefined ? {} : { reason }),
      ...(automatic === true ? { isAutomatic: true } : {}),
    },
    // What it takes is its own time, not the person's.
    timing: { startedAt: at },
  };
}

function withArgs(part: ToolCallPart): ToolCallPart {
  if (part.args !== undefined) return part;
  try {
    const args: unknown = JSON.parse(part.argsText === "" ? "{}" : part.argsText);
    return isJsonObject(args) ? { ...part, args } : part;
  } catch {
    return part; // The model wrote no JSON: the tool loop answers it with an error; the text is kept as written.
  }
}
