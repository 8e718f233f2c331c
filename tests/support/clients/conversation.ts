import { expect } from "vitest";
import { fold, type Reply } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { JsonObject } from "#contract/json.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import { userMessage } from "#fixtures/people.ts";
import type { Frame } from "./event-stream.ts";
import type { Visitor } from "./visitor.ts";

export type StartedRun = RunStarted & { thread_id: string };

/** Sends a message and starts its run, in a new thread or below `parent_id`. */
export async function startRun(
  who: Visitor,
  text: string,
  to: { thread_id?: string; parent_id?: string | null; stream_id?: string; assistant_id?: string } = {},
): Promise<StartedRun> {
  const { thread_id: threadId = newId("thread"), parent_id = null, ...rest } = to;
  const started = await who.call("runs.start", {
    params: { thread_id: threadId },
    body: { message: { parent_id, content: userMessage(text) }, ...rest },
  });
  return { ...started, thread_id: threadId };
}

/** Where the next message of a conversation goes. */
export function below(talk: { thread_id: string; reply_id: string }) {
  return { thread_id: talk.thread_id, parent_id: talk.reply_id };
}

/** Sends a message and waits for the end of the answer. */
export async function sendAndWait(
  who: Visitor,
  text: string,
  to: { thread_id?: string; parent_id?: string | null; assistant_id?: string } = {},
): Promise<StartedRun & { reply: Reply }> {
  const talk = await startRun(who, text, to);
  return { ...talk, reply: fold(await readWholeLog(who, talk.run_id)) };
}

/** All events of a run, once it has ended. Checks their numbers. */
export async function readWholeLog(who: Visitor, runId: string): Promise<RunEvent[]> {
  return eventsOf(await (await who.events(runId)).rest());
}

/** The events of a complete log. Checks that their numbers have no gap and that they go from `run-start` to the only `run-end`. */
export function eventsOf(frames: Frame<RunEvent>[]): RunEvent[] {
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => index + 1));
  const events = frames.map(({ data }) => data);
  expect(events[0]?.type).toBe("run-start");
  expect(events.filter(({ type }) => type === "run-start")).toHaveLength(1);
  expect(events.findIndex(({ type }) => type === "run-end")).toBe(events.length - 1);
  return events;
}

/** Follows a run until its first text. The stream stays open. */
export async function waitForFirstWord(who: Visitor, runId: string) {
  const stream = await who.events(runId);
  const seen = await stream.until(({ data }) => data.type === "text-delta");
  return { stream, seen };
}

export async function branchOf(
  who: Visitor,
  threadId: string,
  query: Record<string, string> = {},
): Promise<BranchMessage[]> {
  return (await who.call("messages.branch", { params: { thread_id: threadId }, query })).messages;
}

/** The text of a reply's or a message's parts. */
export function textOf(parts: readonly unknown[]): string {
  return (parts as { type: string; text?: string }[])
    .map((part) => (part.type === "text" ? (part.text ?? "") : ""))
    .join("");
}

export function textOfMessage(message: BranchMessage | undefined): string {
  return textOf((message?.content.content ?? []) as unknown[]);
}

/** Sends a message and follows its run until it waits for an approval. */
export async function sendAndGetCall(
  who: Visitor,
  text: string,
  to: { thread_id?: string; parent_id?: string | null } = {},
): Promise<StartedRun & { events: RunEvent[] }> {
  const talk = await startRun(who, text, to);
  const stream = await who.events(talk.run_id);
  const seen = await stream.until(({ data }) => data.type === "run-wait");
  stream.close();
  return { ...talk, events: seen.map(({ data }) => data) };
}

/** Approves or denies a waiting call. */
export async function answerCall(
  who: Visitor,
  runId: string,
  approved: boolean,
  more: { tool_call_id?: string; reason?: string; remember?: "chat" | "always"; args?: JsonObject } = {},
) {
  const body = { tool_call_id: "call_0_0", approved, ...more };
  return await who.ask("runs.approve", { params: { run_id: runId }, body });
}
