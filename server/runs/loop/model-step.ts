import type { FinishReason, RunEvent } from "#contract/run-events.ts";
import { unreadFilesName } from "#contract/parts/unread-files.ts";
import type { ModelAssistantPart } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";
import type { AnswerInput, AnswerState } from "./answer-state.ts";
import type { Assembler, PendingCall } from "./assemble.ts";
import type { ModelRequests } from "./model-requests.ts";
import { createStepParts } from "./step-parts.ts";
import { trimRepeat } from "./trim-repeat.ts";

export type ModelStep = { parts: ModelAssistantPart[]; calls: PendingCall[]; finishReason: FinishReason };

/**
 * Requests one step from the model and yields its run events. Before its first event, a request that the provider
 * refuses because of its files or its length is sent again with less of them. An answer that was handed over gets a
 * note if its model could not continue it exactly.
 */
export async function* streamModelStep(
  {
    model,
    isHandedOver,
    observer,
  }: Pick<AnswerInput, "model" | "isHandedOver"> & { observer: RequestObserver | undefined },
  requests: ModelRequests,
  { assembler, citations, size }: AnswerState,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, ModelStep> {
  size.check();
  let finishReason: FinishReason = "other";
  const stepParts = createStepParts();
  let isExact = false;
  let hasOutput = false;
  for (;;) {
    const { request, notes, continuedText } = requests.next();
    for (const note of notes) yield { type: "run-note", note };
    try {
      for await (const event of trimRepeat(continuedText, model.stream(request, signal, observer))) {
        if (event.type === "prefilled") {
          isExact = true;
          continue;
        }
        if (!hasOutput) {
          if (isHandedOver === true && continuedText !== "" && !isExact)
            yield { type: "run-note", note: { kind: "continued", name: "" } };
          yield* reportUnreadFiles(requests, assembler);
        }
        hasOutput = true;
        if (event.type === "finish") finishReason = event.reason;
        if (event.type === "part" && event.part.type === "source") citations.addModelSource(event.part);
        stepParts.take(event);
        // A loop is twice as fast as `yield*` on an array, and this runs for every token.
        for (const runEvent of assembler.take(event)) yield size.count(runEvent);
      }
    } catch (error) {
      if (!hasOutput && (await requests.canRetryWithLess(error))) continue;
      yield* reportUnreadFiles(requests, assembler);
      yield* assembler.close();
      throw error;
    }
    yield* assembler.close();
    const calls = assembler.takeCalls();
    return { parts: stepParts.list(calls), calls, finishReason };
  }
}

function reportUnreadFiles(requests: ModelRequests, assembler: Assembler): RunEvent[] {
  const files = requests.takeUnreadFiles();
  return files.length === 0 ? [] : assembler.add({ type: "data", name: unreadFilesName, data: files });
}
