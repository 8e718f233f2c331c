import type { ModelAssistantPart, ModelEvent } from "#server/models/model.ts";
import type { PendingCall } from "./assemble.ts";
import { parseArgs } from "./tool-call.ts";

/** Collects what the model makes in one step, in the form in which the next request returns it to the model. */
export function createStepParts() {
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
