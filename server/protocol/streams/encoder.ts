import type { FinishReason, RunEvent, Usage } from "#contract/run-events.ts";

/** How the events of an answer are spelled on a protocol client's wire. */
export type Encoder = {
  contentType: string;
  headers: Record<string, string>;
  begin(messageId: string): string;
  /** "" for what the format has no word for. */
  event(event: RunEvent): string;
  end(end: { finishReason: FinishReason; usage: Usage }): string;
  /** Ends the stream with a sentence for the person. */
  fail(message: string): string;
};
