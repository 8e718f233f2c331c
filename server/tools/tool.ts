import type { Json, JsonObject } from "#contract/json.ts";

/** Something an assistant can do. */
export type Tool = {
  name: string;
  /** For the model: what it does, when to use it. */
  description: string;
  /** A JSON schema of the arguments, an object. */
  parameters: JsonObject;
  /**
   * Carries out one call. `args` is whatever the model wrote, unchecked. Throws `ToolError` with a sentence for model
   * and person when it cannot; honours `signal`.
   */
  run(args: Json, context: ToolContext): Promise<Json>;
};

export type ToolContext = { signal: AbortSignal; nowMs: number; workspaceId: string; threadId: string };

/** A tool could not do what was asked; `message` is shown to the model and the person. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
