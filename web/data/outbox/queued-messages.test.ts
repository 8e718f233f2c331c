import { expect, test } from "vitest";
import type { BranchRows } from "../threads/branch-rows.ts";
import { outgoingMessage } from "./outgoing-message.ts";
import { showWaiting, withWords, wordsOf } from "./queued-messages.ts";

const content = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const entry = (id: string, parentId: string) => ({
  id,
  thread_id: "t",
  parent_id: parentId,
  run_id: `run_${id}`,
  reply_id: `reply_${id}`,
  assistant_id: "default",
  model: "m",
  content: content(id),
  is_held: false,
  created_at: "",
  updated_at: "",
});
const rows = (ids: string[], queue: BranchRows["queue"]): BranchRows => ({
  headId: ids.at(-1) ?? null,
  messages: ids.map((id) => ({ id }) as BranchRows["messages"][number]),
  hasMore: false,
  queue,
});
const coming = (text: string, queue: boolean) =>
  outgoingMessage({
    threadId: "t",
    newThread: false,
    parentId: "p",
    content: content(text),
    choice: {},
    queue,
  });

test("shows what the service has, then what is on its way there, each once", () => {
  const out = coming("on its way", true);
  const arrived = { ...coming("arrived", true), message: { id: "a", content: content("a") } };
  const shown = showWaiting(rows(["q", "p"], [entry("a", "p"), entry("b", "p")]), [arrived, out]);
  expect(shown.map(({ id }) => id)).toEqual(["a", "b", out.message!.id]);
});

test("leaves out what waits on another branch, what is a message by now, and what does not wait", () => {
  const there = rows(["q", "p", "a"], [entry("a", "p"), entry("b", "elsewhere")]);
  const said = { ...coming("said", true), message: { id: "a", content: content("a") } };
  expect(showWaiting(there, [said, coming("at once", false)])).toEqual([]);
});

test("changes the words and nothing beside them", () => {
  const picture = { type: "image", image: "data:image/png;base64,AA" };
  const waiting = {
    id: "a",
    content: { role: "user", content: [{ type: "text", text: "old" }, picture] },
    isHeld: false,
    out: undefined,
  };
  expect(wordsOf(waiting)).toBe("old");
  expect(withWords(waiting, "new")).toEqual({
    role: "user",
    content: [{ type: "text", text: "new" }, picture],
  });
});
