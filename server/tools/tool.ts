import type { Json, JsonObject } from "#contract/json.ts";

/** Something an assistant can do: by a function of ours, or by asking whoever reads. */
export type Tool = CarriedOutTool | AnsweredTool;

type ToolFacts = {
  name: string;
  /** For the model: what it does, when to use it. */
  description: string;
  /** A JSON schema of the arguments, an object. */
  parameters: JsonObject;
  /**
   * Looks at a call before a person is asked about it. `args` is whatever the model wrote. Throws `ToolError` with a
   * sentence for the model where nobody need be asked.
   */
  check?(args: Json): void;
};

export type CarriedOutTool = ToolFacts & {
  /** Whether a person must allow a call before it is carried out: always, or by its arguments. Never, where it says nothing. */
  asks?: "always" | ((args: Json) => boolean);
  /** How long one call may take, in milliseconds; `limits.toolCallMs` where it says nothing. */
  timeLimitMs?: number;
  /**
   * Carries out one call. `args` is whatever the model wrote, unchecked. Throws `ToolError` with a sentence for model
   * and person when it cannot; honours `signal`.
   */
  run(args: Json, context: ToolContext): Promise<Json>;
};

/** A tool without a function of ours: the person or the page gives the result. */
export type AnsweredTool = ToolFacts & {
  run?: undefined;
  /** What is wrong with this result of a call; `undefined` where it may be told to the model. */
  resultMistake(result: Json, args: Json): string | undefined;
};

export type ToolContext = {
  signal: AbortSignal;
  nowMs: number;
  /** Where the person is, or else the server: an IANA name. */
  timeZone: string;
  workspaceId: string;
  /** Empty where there is none. */
  threadId: string;
  /** What the person said last: the question that is being answered. */
  asked: string;
  /** Adds a source to the answer, and answers its number there. */
  cite(source: Citable): number;
};

/** Something that an answer rests on. `url` is a whole address, or a place in the web app (`contract/thread-links.ts`). */
export type Citable = { url: string; title?: string };

/** A tool could not do what was asked; `message` is shown to the model and the person. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** What a person is to do before this call of `tool` has a result. Throws `ToolError` where it is no call at all. */
export function wantedOf(tool: Tool, args: Json): "nothing" | "approval" | "result" {
  tool.check?.(args);
  if (tool.run === undefined) return "result";
  const asks = typeof tool.asks === "function" ? tool.asks(args) : tool.asks === "always";
  return asks ? "approval" : "nothing";
}

/** Whether it never needs a person: those that do are no use where nobody can be asked. */
export function isUnattended(tool: Tool): tool is CarriedOutTool {
  return tool.run !== undefined && tool.asks === undefined;
}
