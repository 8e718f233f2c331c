import type { Json, JsonObject } from "#contract/json.ts";
import type { AskedTool, ToolCallPart } from "#contract/parts/tool-call.ts";
import { requestHash } from "../lib/request-hash.ts";
import type { OtherThreadTool } from "../parts/other-threads.ts";
import type { AnswerArtifacts } from "./artifacts/answer-artifacts.ts";

/** Something an assistant can do, as one run may use it. The server runs it, or the person gives the result. */
export type Tool = ServerTool | ClientTool;
export type ServerTool = ServerToolDefinition & ToolIdentity;
export type ClientTool = ClientToolDefinition & ToolIdentity;

/** A tool before its source has named it. */
export type ToolDefinition = ServerToolDefinition | ClientToolDefinition;

/** What an allowance of a person is tied to, besides the name: a tool that changed is asked about again. */
export type ToolIdentity = {
  /** `builtInSource`, or the id of the tool server that has the tool. */
  source: string;
  /** A hash of the parameters, of the facts by which a person decides, and of a description that is not ours. */
  schemaHash: string;
};

export const builtInSource = "built-in";

/** What a call does and where it goes. A person decides by these facts, so they come from what an administrator trusts. */
export type ToolFacts = {
  /** What people read instead of the name. */
  title?: string;
  /** `writes`: a call changes something besides the answer. */
  effect: "reads" | "writes";
  /** Where the arguments go if they leave this server: a host, or words for people. */
  sendsTo?: string;
  /** Whether results contain text of strangers, such as a web page or a mail. */
  readsStrangers: boolean;
  /** The URL to which the arguments send themselves, of a tool whose arguments choose where it goes. */
  destination?(args: Json): string | undefined;
};

/**
 * `readsOtherThreads`: results are from other threads of the person, so that members and models of a shared thread do not
 * get them. Stored calls have only the name, so it must be in the list of these tools.
 */
type ToolBase = ToolFacts &
  ({ name: string; readsOtherThreads: false } | { name: OtherThreadTool; readsOtherThreads: true }) & {
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

export type ServerToolDefinition = ToolBase & {
  /** Whether a person must approve a call before it runs, instead of what follows from the facts (`asksByDefault`). */
  needsApproval?: (args: Json) => boolean;
  /** Facts that settings can change, read for each run; `undefined` if the tool is not set up. */
  currentFacts?(): Promise<Partial<ToolFacts> | undefined>;
  /** How long one call may take, in milliseconds. Default: `limits.toolCallMs`. */
  timeLimitMs?: number;
  /**
   * Runs one call. `args` is the model's unchecked input. Throws `ToolError` with a message for the model and the person
   * if it fails. Stops on `signal`.
   */
  run(args: Json, context: ToolContext): Promise<Json>;
};

/** A tool that the server does not run: the person or the page gives the result. */
export type ClientToolDefinition = ToolBase & {
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
  /** Counts this call of the tool and returns how many the answer has had. */
  countCall(toolName: string): number;
  /** Adds a source to the answer and returns its number. */
  cite(source: Citable): number;
  /** What the branch has made, also in this answer. `write` adds a text to the answer. */
  artifacts: Pick<AnswerArtifacts, "isCut" | "list" | "listOwn" | "write">;
};

/** Longer addresses of strangers are no sources: each is stored with the answer. */
export const citedUrlCharactersMax = 8_192;

/** A source of an answer. `url` is absolute, or a place in the web app (`contract/thread-links.ts`). */
export type Citable = { url: string; title?: string };

/** A tool failed. `message` is shown to the model and the person. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** The tool as its source offers it to a run. `source`: `builtInSource`, or the id of a tool server. */
export function identify<Definition extends ToolDefinition>(
  tool: Definition,
  source: string,
): Definition & ToolIdentity {
  const { parameters, effect, sendsTo, readsStrangers } = tool;
  // Models follow descriptions. Those of built-in tools are ours, and better ones ask nobody again.
  const description = source === builtInSource ? undefined : tool.description;
  const schemaHash = requestHash({ description, parameters, effect, sendsTo, readsStrangers });
  return { ...tool, source, schemaHash };
}

/** Where a call's arguments go: a host, or words for people. `undefined` if they stay on this server. */
export function sentToOf({ sendsTo, destination }: ToolFacts, args: Json): string | undefined {
  const url = destination?.(args);
  return (url === undefined ? undefined : URL.parse(url)?.host) ?? sendsTo;
}

/** Whose text the result of a call is. `undefined` if no stranger wrote it. */
export function strangersOf(tool: Tool, args: Json): string | undefined {
  return tool.readsStrangers ? (sentToOf(tool, args) ?? tool.title ?? tool.name) : undefined;
}

/** What a person is shown of the tool when they are asked about a call. */
export function askedToolOf(tool: Tool, args: Json): AskedTool {
  const { source, title, effect, schemaHash } = tool;
  const sendsTo = sentToOf(tool, args);
  return { source, ...(title && { title }), effect, ...(sendsTo && { sendsTo }), schemaHash };
}

/** Whether a decision about a call holds for the tool as it is now. Calls of earlier versions name no tool. */
export function isAsShown(tool: Tool, { approval }: ToolCallPart): boolean {
  const shown = approval?.tool;
  return shown === undefined || (shown.source === tool.source && shown.schemaHash === tool.schemaHash);
}

/** Whether a call changes something, or sends something out of this server: then a person is asked by default. */
export function hasConsequences({ effect, sendsTo }: ToolFacts): boolean {
  return effect === "writes" || sendsTo !== undefined;
}
