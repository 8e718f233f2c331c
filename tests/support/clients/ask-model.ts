import { createAnswerArtifacts } from "#server/tools/artifacts/answer-artifacts.ts";
import type { Citable, ToolContext } from "#server/tools/tool.ts";
import type { Tools } from "#server/tools/tools.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest, ModelUserPart } from "#server/models/model.ts";

export type ModelAnswer = {
  text: string;
  /** Tool calls, in order. */
  calls: { tool: string; args: unknown }[];
  /** Sources, first those of tools, then those of the model. */
  sources: Citable[];
};

/** Asks a model and executes its tool calls, as a run does. `declared` are the tools in its request, by default all. */
export async function askModel(
  model: Model,
  tools: Tools,
  parts: readonly ModelUserPart[],
  options: {
    context: Pick<ToolContext, "nowMs" | "workspaceId" | "timeZone">;
    before?: readonly ModelMessage[];
    declared?: ReturnType<Tools["list"]>;
    managesModels?: boolean;
  },
): Promise<ModelAnswer> {
  const signal = new AbortController().signal;
  const messages: ModelMessage[] = [...(options.before ?? []), { role: "user", parts: [...parts] }];
  const answer: ModelAnswer = { text: "", calls: [], sources: [] };
  const context: ToolContext = {
    ...options.context,
    signal,
    threadId: "",
    question: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
    cite: (source) => answer.sources.push(source),
    countCall: () => 1,
    artifacts: createAnswerArtifacts(messages, []),
  };
  for (;;) {
    const events: ModelEvent[] = [];
    const request = {
      messages,
      tools: [...(options.declared ?? tools.list())],
      purpose: "answer",
      timeZone: context.timeZone,
      managesModels: options.managesModels ?? false,
    } satisfies ModelRequest;
    for await (const event of model.stream(request, signal)) events.push(event);
    for (const event of events) {
      if (event.type === "text") answer.text += event.text;
      if (event.type === "part" && event.part.type === "source" && event.part.sourceType === "url")
        answer.sources.push(event.part);
    }
    const calls = events.filter((event) => event.type === "tool-call");
    if (calls.length === 0) return answer;
    messages.push({
      role: "assistant",
      parts: calls.map(({ toolCallId, toolName, argsText }) => ({
        type: "tool-call",
        toolCallId,
        toolName,
        args: JSON.parse(argsText) as never,
      })),
    });
    const results = [];
    for (const { toolCallId, toolName, argsText } of calls) {
      const args = JSON.parse(argsText) as never;
      answer.calls.push({ tool: toolName, args });
      const told = await Promise.resolve(tools.get(toolName)?.run?.(args, context)).then(
        (result) => ({ isError: false, result: result ?? null }),
        (error: Error) => ({ isError: true, result: { error: error.message } }),
      );
      results.push({ toolCallId, toolName, ...told });
    }
    messages.push({ role: "tool", results });
  }
}
