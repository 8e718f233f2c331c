import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { everyPart } from "#fixtures/part-examples.ts";
import type { Call } from "../call.ts";
import { saveEditedAnswer, answerTextsOf } from "./edit-answer.ts";

const parts: object[] = [
  { type: "reasoning", text: "Hm" },
  { type: "text", text: "First \ud800", of: "the app" },
  { type: "tool-call", toolCallId: "1", toolName: "date", args: {}, argsText: "{}", result: "today" },
  JSON.parse('{"type":"of-an-app","__proto__":{"a":1}}') as object,
  { type: "text", text: "Second" },
  { type: "source", sourceType: "url", id: "s", url: "https://example.org/" },
];

function rowWith(content: object): BranchMessage {
  return { id: "msg_1", parent_id: "msg_0", format: "aui/v0", content } as BranchMessage;
}

/** What is stored for these texts. */
async function stored(row: BranchMessage, texts: string[]): Promise<string> {
  const bodies: unknown[] = [];
  const call = ((_name: string, { body }: { body: unknown }) => {
    bodies.push(body);
    return Promise.resolve({ message_id: "msg_2" });
  }) as unknown as Call;
  const queries = new QueryClient();
  await saveEditedAnswer({ call, queries }, { threadId: "thread_a", row, texts, externalId: "x" });
  return JSON.stringify(bodies[0]);
}

test("changes only the texts of an answer, and keeps which answer it was", async () => {
  const metadata = { steps: [1], custom: { of: "the app" } };
  const row = rowWith({ role: "assistant", content: parts, metadata, more: true });
  expect(answerTextsOf(row)).toEqual(["First \ud800", "Second"]);
  expect(await stored(row, ["Changed", "Second"])).toBe(
    JSON.stringify({
      parent_id: "msg_0",
      format: "aui/v0",
      external_id: "x",
      content: {
        role: "assistant",
        content: parts.map((part, index) => (index === 1 ? { ...part, text: "Changed" } : part)),
        metadata: { steps: [1], custom: { of: "the app", edited_from: "msg_1" } },
        more: true,
      },
    }),
  );
});

test("leaves out emptied texts, and adds one to an answer without any", async () => {
  const row = rowWith({ role: "assistant", content: parts });
  const emptied = JSON.parse(await stored(row, [" ", "Second"])) as { content: { content: object[] } };
  expect(emptied.content.content).toHaveLength(parts.length - 1);
  const silent = rowWith({ role: "assistant", content: [] });
  expect(answerTextsOf(silent)).toEqual([""]);
  expect(await stored(silent, ["Words"])).toContain('"content":[{"type":"text","text":"Words"}]');
});

test("keeps every kind of part", async () => {
  const row = rowWith({ role: "assistant", content: everyPart });
  const edited = everyPart.map((part) => (part["type"] === "text" ? { ...part, text: "Mosses." } : part));
  expect(await stored(row, ["Mosses."])).toContain(`"content":${JSON.stringify(edited)}`);
});
