import type { RunEvent } from "#contract/run-events.ts";
import { isOnTheWeb, isOtherThreadTool, withoutOtherThreads } from "./other-threads.ts";

/**
 * Returns a function that takes what is from other threads of a run's person out of its events, from the first on, as
 * `withoutOtherThreads` does with stored messages.
 */
export function createEventFilter(): (event: RunEvent) => RunEvent {
  const hidden = new Set<number>();
  return (event) => {
    switch (event.type) {
      case "run-start":
        for (const [part, { type, ...content }] of event.content.entries())
          if (type === "tool-call" && "toolName" in content && isOtherThreadTool(content.toolName))
            hidden.add(part);
        return { ...event, content: event.content.map(withoutSource).map(withoutResult) };
      case "tool-call-start":
        if (isOtherThreadTool(event.tool_name)) hidden.add(event.part);
        return event;
      case "tool-call-delta":
        return hidden.has(event.part) ? { ...event, args_text: "" } : event;
      case "tool-call-result":
        return hidden.has(event.part) ? { ...event, result: "Not shared." } : event;
      case "source-add":
        return { ...event, source: withoutSource(event.source) };
      default:
        return event;
    }
  };
}

type Parts = Extract<RunEvent, { type: "run-start" }>["content"];

/** Events name parts by their number, so that a source stays, without what it says. */
function withoutSource<Part extends Parts[number]>(part: Part): Part {
  if (part.type !== "source" || part.sourceType !== "url" || isOnTheWeb(part.url)) return part;
  return { ...part, url: "about:blank", title: "" };
}

function withoutResult(part: Parts[number]): Parts[number] {
  return withoutOtherThreads({ content: [part] }).content[0] ?? part;
}
