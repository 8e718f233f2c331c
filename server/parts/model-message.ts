import type { Json } from "#contract/json.ts";

/** A conversation as models are given it, whatever their provider: what stored messages are turned into. */
export type ModelMessage =
  | { role: "system"; text: string }
  | { role: "user"; parts: ModelUserPart[] }
  | { role: "assistant"; parts: ModelAssistantPart[] }
  | { role: "tool"; results: ModelToolResult[] };

export type ModelUserPart =
  | { type: "text"; text: string }
  /** `data` is base64, a data URL or an address. */
  | { type: "file"; data: string; mediaType: string; filename?: string };

export type ModelAssistantPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; args: Json };

export type ModelToolResult = {
  toolCallId: string;
  toolName: string;
  result: Json;
  isError: boolean;
  /** A person did not allow the call; `result` says so in words. */
  isDenied?: true;
};
