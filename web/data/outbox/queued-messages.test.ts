import { expect, test } from "vitest";
import type { BranchRows } from "../threads/branch-rows.ts";
import { messageEntry } from "./outbox-entry.ts";
import { visibleQueue, withText, queuedTextOf } from "./queued-messages.ts";

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
  summary: null,
});
const unsent = (text: string, queue: boolean) =>
  messageEntry({
    threadId: "t",
    newThread: false,
    parentId: "p",
    content: content(text),
    choice: {},
    queue,
  });

test("shows the messages of the server and then those of the outbox, each once", () => {
  const out = unsent("on its way", true);
  const arrived = { ...unsent("arrived", true), message: { id: "a", content: content("a") } };
  const visible = visibleQueue(rows(["q", "p"], [entry("a", "p"), entry("b", "p")]), [arrived, out]);
  expect(visible.map(({ id }) => id)).toEqual(["a", "b", out.message!.id]);
});

test("leaves out other branches, messages that left the queue, and messages that are not queued", () => {
  const there = rows(["q", "p", "a"], [entry("a", "p"), entry("b", "elsewhere")]);
  const said = { ...unsent("said", true), message: { id: "a", content: content("a") } };
  expect(visibleQueue(there, [said, unsent("at once", false)])).toEqual([]);
});

test("changes only the text parts", () => {
  const picture = { type: "image", image: "data:image/png;base64,AA" };
  const waiting = {
    id: "a",
    content: { role: "user", content: [{ type: "text", text: "old" }, picture] },
    isHeld: false,
    outboxEntry: undefined,
  };
  expect(queuedTextOf(waiting)).toBe("old");
  expect(withText(waiting, "new")).toEqual({
    role: "user",
    content: [{ type: "text", text: "new" }, picture],
  });
});

test("is the same list as long as nothing is queued", () => {
  expect(visibleQueue(rows(["a"], []), [])).toBe(visibleQueue(rows(["a", "b"], []), [unsent("Hi", false)]));
});
