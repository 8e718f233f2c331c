import type { Json, JsonObject } from "#contract/json.ts";
import type { OtherThreadTool } from "../parts/other-threads.ts";
import type { AnswerArtifacts } from "./artifacts/answer-artifacts.ts";

/** Something an assistant can do. The server runs it, or the person gives the result. */
export type Tool = ServerTool | ClientTool;

/**
 * `readsOtherThreads`: results are from other threads of the person, so that members and models of a shared thread do not
 * get them. Stored calls have only the name, so it must be in the list of these tools.
 */
type ToolBase = (
  | { name: string; readsOtherThreads: false }
  | { name: OtherThreadTool; readsOtherThreads: true }
) & {
  /** For the model: what the tool does and when to use it. */
  description: string;
  /** A JSON schema of the arguments, an object. */
  parameters: JsonObject;
  /**
   * Validates a call before the person is asked about it. `args` is the model's unchecked input. Throws `ToolError` with a
   * message for the model.
   */
  check?(args: Json): void;
};

export type ServerTool = ToolBase & {
  /** Whether a person must approve a call before it runs: always, or depending on the arguments. Default: never. */
  needsApproval?: "always" | ((args: Json) => boolean);
  /** How long one call may take, in milliseconds. Default: `limits.toolCallMs`. */
  timeLimitMs?: number;
  /**
   * Runs one call. `args` is the model's unchecked input. Throws `ToolError` with a message for the model and the person
   * if it fails. Stops on `signal`.
   */
  run(args: Json, context: ToolContext): Promise<Json>;
};

/** A tool that the server does not run: the person or the page gives the result. */
export type ClientTool = ToolBase & {
  run?: undefined;
  /** What is wrong with this result of a call; `undefined` if it is valid. */
  resultError(result: Json, args: Json): string | undefined;
};

export type ToolContext = {
  signal: AbortSignal;
  nowMs: number;
  /** The person's time zone, or the server's if it is unknown: an IANA name. */
  timeZone: string;
  workspaceId: string;
  /** Empty if there is none. */
  threadId: string;
  /** The text of the message that is being answered. */
  question: string;
  /** Adds a source to the answer and returns its number. */
  cite(source: Citable): number;
  /** What the branch has made, also in this answer. `write` adds a text to the answer. */
  artifacts: Pick<AnswerArtifacts, "isCut" | "list" | "listOwn" | "write">;
};

/** A source of an answer. `url` is absolute, or a place in the web app (`contract/thread-links.ts`). */
export type Citable = { url: string; title?: string };

/** A tool failed. `message` is shown to the model and the person. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** What a call needs from the person. Throws `ToolError` if the call is invalid. */
export function requiredInput(tool: Tool, args: Json): "nothing" | "approval" | "result" {
  tool.check?.(args);
  if (tool.run === undefined) return "result";
  const needsApproval =
    typeof tool.needsApproval === "function" ? tool.needsApproval(args) : tool.needsApproval === "always";
  return needsApproval ? "approval" : "nothing";
}

/** Whether the tool runs without an approval or a result of a person. */
export function runsUnattended(tool: Tool): tool is ServerTool {
  return tool.run !== undefined && tool.needsApproval === undefined;
}
