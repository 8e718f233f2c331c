import { errors } from "#contract/errors.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { parseThreadLink } from "#contract/thread-links.ts";
import type { FollowRun } from "#server/runs/log/follow-run.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Encoder } from "./encoder.ts";

/**
 * Encodes a run's log from its first entry. The same log gives the same chunks, except that they name the message
 * `messageId` if it is known. Throws if the entries end before the run does, so that a client does not mistake a partial
 * answer for a complete one.
 */
export async function* encodeLog(
  entries: ReturnType<FollowRun>,
  encoder: Encoder,
  messageId?: string,
): AsyncGenerator<string> {
  for await (const batch of entries) {
    if (batch === "reset") throw new AppError("run-not-found");
    const events = batch.map(({ body }) => JSON.parse(body) as RunEvent);
    const text = events.map((event) => encodeEvent(event, encoder, messageId)).join("");
    if (text !== "") yield text;
    if (events.at(-1)?.type === "run-end") return;
  }
  throw new Error("the stream of a run was not read to its end");
}

/** Returns "" for an event that the format does not have. */
export function encodeEvent(event: RunEvent, encoder: Encoder, messageId?: string): string {
  if (event.type === "run-start") return encoder.begin(messageId ?? event.reply_id);
  if (event.type === "run-end") {
    const { state, error, finish_reason: finishReason, usage } = event;
    if (state === "interrupted") return encoder.fail(errors["run-interrupted"].message);
    return error === undefined ? encoder.end({ finishReason, usage }) : encoder.fail(error.message);
  }
  return isOwnPlace(event) ? "" : encoder.event(event);
}

/** A relative link of our own web app, which does not work on another page. */
function isOwnPlace(event: RunEvent): boolean {
  if (event.type !== "source-add") return false;
  const { source } = event;
  return source.sourceType === "url" && parseThreadLink(source.url) !== undefined;
}
