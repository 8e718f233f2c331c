import { ModelError, type Model, type ModelEvent, type ModelRequest } from "#server/models/model.ts";

/** One event of a scripted response, an error that is thrown, or a wait. */
export type ScriptStep = ModelEvent | Error | "wait until aborted";

/** A model with scripted responses, one per request. It records the requests. */
export function scriptedModel(...answers: ScriptStep[][]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    info: { id: "scripted", name: "Scripted", provider: "test", provider_name: "Test" },
    requests,
    async *stream(request, signal) {
      // The caller may change the request later.
      requests.push(structuredClone(request));
      const steps = answers[requests.length - 1];
      if (steps === undefined)
        throw new ModelError("internal", { cause: new Error("The script has no more answers.") });
      for (const step of steps) {
        signal.throwIfAborted();
        if (step === "wait until aborted")
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        else if (step instanceof Error) throw step;
        else yield step;
      }
    },
  };
}

export const text = (words: string): ModelEvent => ({ type: "text", text: words });
export const thought = (words: string): ModelEvent => ({ type: "reasoning", text: words });
export const call = (toolCallId: string, toolName: string, argsText = "{}"): ModelEvent => ({
  type: "tool-call",
  toolCallId,
  toolName,
  argsText,
});
export const finish = (
  reason: Extract<ModelEvent, { type: "finish" }>["reason"] = "stop",
  output = 1,
): ModelEvent => ({ type: "finish", reason, usage: { output } });
