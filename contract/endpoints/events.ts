import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { jsonObject, shortId, wholeNumber } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

/** UI events that the hosted protocol's clients report. They never contain message text. */
export const eventKinds = [
  "message_sent",
  "message_edited",
  "run_stopped",
  "message_regenerated",
  "message_copied",
  "branch_switched",
  "suggestions_shown",
  "suggestion_clicked",
  "attachment_added",
  "attachment_failed",
  "thread_switched",
  "tool_approved",
  "tool_rejected",
  "speech_started",
  "voice_started",
  "error_shown",
] as const;

const props = jsonObject.check(
  z.refine(
    (value) => Object.keys(value).every((key) => key.length >= 1 && key.length <= 64),
    "must have keys of 1 to 64 characters",
  ),
  z.refine(
    (value) =>
      Object.values(value).every(
        (entry) => Number.isFinite(entry) || typeof entry === "boolean" || isShortText(entry),
      ),
    "must hold only numbers, booleans and strings of at most 256 characters",
  ),
  z.refine(
    (value) => bytesOf(JSON.stringify(value)) <= limits.eventPropsBytes,
    `must be a JSON object of at most ${limits.eventPropsBytes} bytes`,
  ),
);

const event = z.object({
  kind: z.enum(eventKinds, `must be one of ${eventKinds.join(", ")}`),
  thread_id: z.optional(z.nullable(shortId)),
  message_id: z.optional(z.nullable(shortId)),
  run_id: z.optional(z.nullable(shortId)),
  value: z.optional(z.nullable(wholeNumber(0, 2 ** 31 - 1))),
  props: z.optional(z.nullable(props)),
});

const eventsRequest = z.object({
  events: z
    .array(event)
    .check(
      z.minLength(1, "must hold at least one event"),
      z.maxLength(limits.eventsMax, `must hold at most ${limits.eventsMax} events`),
    ),
});

/** How many were stored. Events of threads that the caller cannot access are ignored. */
const eventsResponse = z.object({ accepted: z.number() });

function isShortText(value: unknown): boolean {
  return typeof value === "string" && value.length <= 256;
}

function bytesOf(text: string): number {
  // UTF-8 never has fewer bytes than characters, so long texts need no encoding.
  return text.length > limits.eventPropsBytes ? text.length : new TextEncoder().encode(text).byteLength;
}

export const eventEndpoints = endpoints("visitor", {
  "events.add": {
    request: "POST /v1/events",
    audit: { none: "own-content" },
    summary: "Record UI events",
    description:
      "Up to 50 at once. Events of threads that the caller cannot access are ignored. Events never contain message text.",
    body: eventsRequest,
    bodyBytesMax: limits.formBodyBytes,
    status: 202,
    response: eventsResponse,
    errors: ["rate-limited"],
    example: { body: { events: [{ kind: "message_copied", thread_id: "$THREAD_ID" }] } },
  },
});
