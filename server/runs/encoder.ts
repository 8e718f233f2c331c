import type { RunEvent } from "#contract/run-events.ts";
import type { AnswerEnd } from "./answer.ts";

/** How the events of an answer are spelled on a protocol client's wire. */
export type Encoder = {
  contentType: string;
  headers: Record<string, string>;
  begin(messageId: string): string;
  /** "" for what the format has no word for. */
  event(event: RunEvent): string;
  end(end: AnswerEnd): string;
  /** Ends the stream with a sentence for the person. */
  fail(message: string): string;
};
