import { isJsonObject, parseJson, type Json, type JsonObject } from "../json.ts";
import { type Kind, type PartEvent, type UncheckedPart, withStrings } from "./kind.ts";

/** What a person reads about the tool when they are asked. Their decision holds for exactly this tool. */
export type AskedTool = {
  /** `built-in`, or the id of the tool server that has the tool. */
  source: string;
  title?: string;
  effect: "reads" | "writes";
  /** Where the arguments go if they leave the server. */
  sendsTo?: string;
  schemaHash: string;
  /** Whose text the run has read: why it asks although the call was allowed before. */
  strangers?: string[];
  /** Whether the tool changed since a call of it was allowed. */
  isChanged?: true;
  /** The arguments of the last call of the tool in this chat. */
  lastArgs?: JsonObject;
};

/**
 * A tool call. `argsText` is what the model wrote; `args` is present once that is a JSON object. A `result` may be
 * falsy; without a result the call was not finished, or failed without a message (`isError`).
 */
export type ToolCallPart = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  argsText: string;
  args?: JsonObject;
  result?: Json;
  isError?: boolean;
  /** Whose text the result is, such as a host, if strangers wrote it. */
  resultFrom?: string;
  /**
   * Present if a person is asked whether the call may run. `approved` is their decision; `resolution` says that the run
   * ended without one. `tool` is absent in calls of earlier versions.
   */
  approval?: {
    id: string;
    approved?: boolean;
    reason?: string;
    isAutomatic?: true;
    resolution?: "cancelled";
    tool?: AskedTool;
    /** The arguments as the person changed them; `args` are the model's. */
    args?: JsonObject;
  };
  /** Milliseconds since 1970. */
  timing?: { startedAt: number; completedAt?: number };
  /** What a client stored about the call beside its result: a value for its own view, and messages of another agent. */
  artifact?: Json;
  messages?: Json;
};

type Approval = NonNullable<ToolCallPart["approval"]>;

export type ToolCallEvent =
  | PartEvent<"tool-call-start", { tool_call_id: string; tool_name: string; at: number }>
  | PartEvent<"tool-call-delta", { args_text: string }>
  | PartEvent<"tool-call-end">
  /**
   * A person is asked to allow or deny the call, again if the tool changed after their decision. `parameters` is the JSON
   * schema that arguments which they change must match.
   */
  | PartEvent<"tool-call-ask", { tool?: AskedTool; parameters?: JsonObject }>
  /** The person's decision; `automatic` if it follows from an earlier one. A denial is followed by its result. */
  | PartEvent<
      "tool-call-decision",
      {
        approved: boolean;
        reason?: string;
        automatic?: true;
        tool?: AskedTool;
        /** The arguments as the person changed them. */
        args?: JsonObject;
        at: number;
      }
    >
  /** The run ended before a decision. */
  | PartEvent<"tool-call-withdrawn">
  | PartEvent<"tool-call-result", { result: Json; is_error?: boolean; from?: string; at: number }>;

export const toolCall: Kind<ToolCallPart, ToolCallEvent> = {
  text: () => "",
  read(stored) {
    const { args, argsText, approval, timing, resultFrom, ...rest } = stored;
    const call = withStrings<ToolCallPart>(rest, ["toolCallId", "toolName"]);
    if (call === undefined) return undefined;
    return withArgs({
      ...call,
      // Clients store the text only if it differs from the arguments as JSON.
      argsText: typeof argsText === "string" ? argsText : args === undefined ? "" : JSON.stringify(args),
      ...(isJsonObject(args) ? { args } : {}),
      ...(isJsonObject(approval) ? { approval: readApproval(approval, call.toolCallId) } : {}),
      ...(isTiming(timing) ? { timing } : {}),
      ...(typeof resultFrom === "string" ? { resultFrom } : {}),
    });
  },
  fromAiSdk(part) {
    const toolName = toolNameOf(part);
    if (toolName === undefined) return undefined;
    const { toolCallId, input, approval } = part;
    return {
      type: "tool-call",
      toolCallId,
      toolName,
      ...(typeof input === "string" ? { argsText: input } : { args: input }),
      approval,
      ...outcomeOf(part),
    };
  },
  fold: {
    "tool-call-start": (part, { tool_call_id: toolCallId, tool_name: toolName, at }) =>
      part ?? { type: "tool-call", toolCallId, toolName, argsText: "", timing: { startedAt: at } },
    "tool-call-delta": (part, event) => part && { ...part, argsText: part.argsText + event.args_text },
    "tool-call-end": (part) => part && withArgs(part),
    "tool-call-ask": (part, { tool }) =>
      part && { ...withArgs(part), approval: { id: part.toolCallId, ...(tool && { tool }) } },
    "tool-call-decision": (part, { approved, reason, automatic, tool, args, at }) =>
      part && {
        ...withArgs(part),
        approval: {
          ...askedOf(part),
          ...(tool && { tool }),
          approved,
          ...(reason === undefined ? {} : { reason }),
          ...(args && { args }),
          ...(automatic === true ? { isAutomatic: true } : {}),
        },
        // The time that the person took to decide does not count as the tool's.
        timing: { startedAt: at },
      },
    "tool-call-withdrawn": (part) =>
      part?.approval === undefined || part.approval.approved !== undefined
        ? part
        : { ...part, approval: { ...part.approval, resolution: "cancelled" } },
    "tool-call-result": (part, { result, is_error: isError, from, at }) =>
      part && {
        ...withArgs(part),
        result,
        ...(isError ? { isError: true } : {}),
        ...(from === undefined ? {} : { resultFrom: from }),
        timing: { startedAt: part.timing?.startedAt ?? at, completedAt: at },
      },
  },
};

/** The arguments with which the call is carried out: the model's, or as the person changed them. */
export function carriedOutArgs({ args, approval }: ToolCallPart): JsonObject | undefined {
  return approval?.args ?? args;
}

/** The arguments as the model gave them: parsed if its text is JSON, else the text itself. */
export function inputOf({ args, argsText }: ToolCallPart): Json {
  if (args !== undefined || argsText === "") return args ?? {};
  const parsed = parseJson(argsText);
  return parsed === undefined ? argsText : parsed;
}

/** If the text is not a JSON object, the part has only the text, and the tool loop returns an error for the call. */
function withArgs(part: ToolCallPart): ToolCallPart {
  if (part.args !== undefined) return part;
  const args = inputOf(part);
  return isJsonObject(args) ? { ...part, args } : part;
}

function askedOf({ toolCallId, approval }: ToolCallPart): Pick<Approval, "id" | "tool"> {
  return { id: toolCallId, ...(approval?.tool && { tool: approval.tool }) };
}

function readApproval(approval: JsonObject, toolCallId: string): Approval {
  const { id, approved, reason, isAutomatic, resolution, tool, args } = approval;
  return {
    id: typeof id === "string" ? id : toolCallId,
    ...(typeof approved === "boolean" ? { approved } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(isAutomatic === true ? { isAutomatic } : {}),
    ...(resolution === "cancelled" ? { resolution } : {}),
    ...(isAsked(tool) ? { tool } : {}),
    ...(isJsonObject(args) ? { args } : {}),
  };
}

function isAsked(tool: Json | undefined): tool is AskedTool {
  return isJsonObject(tool) && typeof tool.source === "string" && typeof tool.schemaHash === "string";
}

function isTiming(timing: Json | undefined): timing is NonNullable<ToolCallPart["timing"]> {
  return isJsonObject(timing) && typeof timing.startedAt === "number";
}

function toolNameOf({ type, toolName }: UncheckedPart): Json | undefined {
  if (type === "dynamic-tool") return toolName;
  return typeof type === "string" && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

/** How a call of the AI SDK ended. A state that is not final gives no result, so the call counts as unfinished. */
function outcomeOf({ state, output, errorText, approval }: UncheckedPart): UncheckedPart {
  if (state === "output-available") return { result: output ?? null };
  if (state === "output-error") return { result: errorText, isError: true };
  if (state !== "output-denied") return {};
  return { isError: true, approval: { ...(isJsonObject(approval) ? approval : {}), approved: false } };
}
