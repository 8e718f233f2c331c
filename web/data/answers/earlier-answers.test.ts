import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { CallError } from "../call-error.ts";
import type { Services } from "../services.ts";
import { earlierMessagesMax, readEarlierAnswers } from "./earlier-answers.ts";

/** A branch of answers with the ids 0, 1, 2, …, in pages of the size that is asked for. */
function branch(): Services["call"] {
  const page = (_: string, { query }: { query: { before: string; limit: string } }) => {
    const before = Number(query.before);
    const first = Math.max(0, before - Number(query.limit));
    const messages = Array.from({ length: before - first }, (_each, i) => ({
      id: String(first + i),
      role: "assistant",
      content: { content: [{ type: "text", text: "```html\n```" }] },
      siblings: [],
    })) as unknown as BranchMessage[];
    return { messages, has_more: first > 0 };
  };
  return (async (...given: Parameters<typeof page>) =>
    await Promise.resolve(page(...given))) as unknown as Services["call"];
}

test.each([
  [earlierMessagesMax, false],
  [earlierMessagesMax + 1, true],
])("of %i answers above, says whether some are not read", async (count, isCut) => {
  const services = { call: branch(), queries: new QueryClient() };
  const read = await readEarlierAnswers(services, "t", String(count), new AbortController().signal);
  expect(read.answers).toHaveLength(earlierMessagesMax);
  expect(read.isCut).toBe(isCut);
});

test.each([
  [404, false],
  [500, true],
])("without what an answer was made of (%i), still reads the answers", async (status, hasFailed) => {
  const code = { content: [{ type: "text", text: "```html\n```" }] };
  const edited = { ...code, metadata: { custom: { edited_from: "gone" } } };
  const call = (async (_: string, { query }: { query: { last?: string } }) => {
    if (query.last !== undefined) throw new CallError({ code: "x", retry: false }, { status });
    const messages = [
      { id: "a", role: "assistant", content: code, siblings: [] },
      { id: "b", role: "assistant", content: edited, siblings: ["gone"] },
    ];
    return await Promise.resolve({ messages, has_more: false });
  }) as unknown as Services["call"];
  const services = { call, queries: new QueryClient() };
  const read = await readEarlierAnswers(services, "t", "c", new AbortController().signal);
  expect(read.answers.map(({ messageId }) => messageId)).toEqual(["a", "b"]);
  expect(read.hasFailed).toBe(hasFailed);
});
