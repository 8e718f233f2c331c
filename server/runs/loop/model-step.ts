import type { FinishReason, RunEvent } from "#contract/run-events.ts";
import { unreadFilesName } from "#contract/parts/unread-files.ts";
import type { ModelAssistantPart, ModelEvent } from "#server/models/model.ts";
import type { AnswerInput, AnswerState } from "./answer-state.ts";
import type { Assembler, PendingCall } from "./assemble.ts";
import type { ModelRequests } from "./model-requests.ts";
import { parseArgs } from "./plan-calls.ts";
import { trimRepeat } from "./trim-repeat.ts";

export type ModelStep = { parts: ModelAssistantPart[]; calls: PendingCall[]; finishReason: FinishReason };

/**
 * Requests one step from the model and yields its run events. Before its first event, a request that the provider
 * refuses because of its files or its length is sent again with less of them. An answer that was handed over gets a
 * note if its model could not continue it exactly. `step` is the number of the step in the answer, from 1.
 */
export async function* streamModelStep(
  { model, isHandedOver }: Pick<AnswerInput, "model" | "isHandedOver">,
  step: number,
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
      for await (const event of trimRepeat(continuedText, model.stream(request, signal, step))) {
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

/** Collects what the model makes in one step, in the form in which the next request returns it to the model. */
function createStepParts() {
  const parts: ModelAssistantPart[] = [];
  let isOpen = false;
  return {
    take(event: ModelEvent): void {
      const last = parts.at(-1);
      switch (event.type) {
        case "text":
        case "reasoning":
          if (isOpen && last?.type === event.type) last.text += event.text;
          else parts.push({ type: event.type, text: event.text });
          isOpen = true;
          break;
        case "provider-data":
          if (isOpen && last?.type === event.of) last.providerData = event.providerData;
          else parts.push({ type: event.of, text: "", providerData: event.providerData });
          isOpen = false;
          break;
        case "tool-call": {
          const { type, toolCallId, toolName, providerData } = event;
          const data = providerData === undefined ? {} : { providerData };
          parts.push({ type, toolCallId, toolName, args: {}, ...data });
          isOpen = false;
          break;
        }
        default:
          break;
      }
    },
    /** The parts. `calls` has the calls of the step in the same order, and gives them their ids. */
    list(calls: readonly PendingCall[]): ModelAssistantPart[] {
      let nextCall = 0;
      return parts
        .filter((part) => !("text" in part) || part.text !== "" || part.providerData !== undefined)
        .map((part) => {
          const call = part.type === "tool-call" ? calls[nextCall++] : undefined;
          return call === undefined
            ? part
            : { ...part, toolCallId: call.toolCallId, args: parseArgs(call) ?? {} };
        });
    },
  };
}
