import { expect, test } from "vitest";
import type { Branch, BranchMessage } from "#contract/endpoints/messages.ts";
import { branchPage, lowerEndOnly, withLowerEnd, withUpperPage, type BranchRows } from "./branch-rows.ts";
import { regenerationEntry, messageEntry, type OutboxEntry } from "../outbox/outbox-entry.ts";
import { runsToFollow, showBranch } from "./visible-branch.ts";

function row(id: string, parentId: string | null, change: Partial<BranchMessage> = {}): BranchMessage {
  return {
    id,
    parent_id: parentId,
    external_id: null,
    height: 0,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    format: "aui/v0",
    content: { role: "user", content: [] },
    role: "user",
    status: { type: "complete", reason: null, error_code: null },
    run_id: null,
    siblings: [],
    made_by: null,
    feedback: null,
    ...change,
  };
}

const rows = (...messages: BranchMessage[]): BranchRows => ({
  headId: messages.at(-1)?.id ?? null,
  messages,
  hasMore: false,
  queue: [],
});
const question = row("q", null);
const answer = row("a", "q", { role: "assistant", run_id: "run_1" });
const content = { role: "user", content: [{ type: "text", text: "more" }] };
const message = (parentId: string | null, change: Partial<OutboxEntry> = {}): OutboxEntry => ({
  ...messageEntry({ threadId: "t", newThread: false, parentId, content, choice: {} }),
  ...change,
});
const show = (known: BranchRows | undefined, ...outgoing: OutboxEntry[]) =>
  showBranch(known, outgoing, new Map()).map(({ row: { id } }) => id);

test("puts what is sent below its parent, with an empty waiting reply", () => {
  const out = message("a");
  const shown = showBranch(rows(question, answer), [out], new Map());
  expect(shown.map(({ row: { id, role, status } }) => [id, role, status.type])).toEqual([
    ["q", "user", "complete"],
    ["a", "assistant", "complete"],
    [out.message?.id, "user", "complete"],
    [out.replyId, "assistant", "running"],
  ]);
});

test("shows the first message of a thread that the service does not know yet", () => {
  const out = message(null);
  expect(show(undefined, out)).toEqual([out.message?.id, out.replyId]);
});

test("shows an edited message in place of the old one, as its sibling", () => {
  const out = message(null);
  const shown = showBranch(rows(question, answer), [out], new Map());
  expect(shown.map(({ row: { id } }) => id)).toEqual([out.message?.id, out.replyId]);
  expect(shown[0]?.row.siblings).toEqual(["q", out.message?.id]);
});

test("shows an answer that is asked for again beside the old ones", () => {
  const out = regenerationEntry({ threadId: "t", parentId: "q", choice: {} });
  const shown = showBranch(rows(question, { ...answer, siblings: ["a0", "a"] }), [out], new Map());
  expect(shown.map(({ row: { id } }) => id)).toEqual(["q", out.replyId]);
  expect(shown[1]?.row.siblings).toEqual(["a0", "a", out.replyId]);
});

test("shows nothing twice once the rows have it", () => {
  const out = message("a", { state: "stored" });
  const known = rows(
    question,
    answer,
    row(out.message?.id ?? "", "a"),
    row(out.replyId, out.message?.id ?? "", { role: "assistant" }),
  );
  expect(show(known, out)).toEqual(known.messages.map(({ id }) => id));
});

test("leaves a message out whose parent is on another branch", () => {
  expect(show(rows(question, answer), message("elsewhere"))).toEqual(["q", "a"]);
});

test("keeps a failed message in its place, without a reply that would never come", () => {
  const out = message("a", { state: "failed" });
  expect(show(rows(question, answer), out)).toEqual(["q", "a", out.message?.id]);
});

test("counts a failed edit that is put aside, and shows the branch that is looked at", () => {
  const out = message(null, { state: "failed", aside: true });
  const shown = showBranch(rows(question, answer), [out], new Map());
  expect(shown.map(({ row: { id } }) => id)).toEqual(["q", "a"]);
  expect(shown[0]?.row.siblings).toEqual(["q", out.message?.id]);
});

test("makes the same rows again for the same thing", () => {
  const out = message("a");
  const known = rows(question, answer);
  const [first, second] = [showBranch(known, [out], new Map()), showBranch(known, [out], new Map())];
  for (const [index, one] of first.entries()) expect(second[index]?.row).toBe(one.row);
});

test("takes a running reply from its run, and from its row once that is complete", () => {
  const live = new Map([
    ["run_1", { reply: { parts: [{ type: "text" as const, text: "so far" }] }, model: "m" }],
  ]);
  const running = { ...answer, status: { type: "running" as const, reason: null, error_code: null } };
  expect(showBranch(rows(question, running), [], live)[1]?.live?.reply.parts).toHaveLength(1);
  expect(showBranch(rows(question, answer), [], live)[1]?.live).toBeUndefined();
});

test("follows the runs that are being written, its own once the service knows them", () => {
  const running = { ...answer, status: { type: "running" as const, reason: null, error_code: null } };
  expect(runsToFollow(rows(question, running), [])).toEqual(["run_1"]);
  expect(runsToFollow(rows(question, answer), [])).toEqual([]);
  const sending = message("a");
  expect(runsToFollow(rows(question, answer), [sending])).toEqual([]);
  expect(runsToFollow(rows(question, answer), [{ ...sending, state: "stored" }])).toEqual([sending.runId]);
});

const page = (messages: BranchMessage[], hasMore: boolean): Branch => ({
  thread_id: "t",
  head_id: messages.at(-1)?.id ?? null,
  messages,
  has_more: hasMore,
  queue: [],
});
const chain = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => row(`m${from + i}`, `m${from + i - 1}`));

test("reads the lower end anew under what was loaded above it", () => {
  const known: BranchRows = { headId: "m9", messages: chain(0, 10), hasMore: false, queue: [] };
  const next = withLowerEnd(known, page(chain(5, 12), true));
  expect(next.messages.map(({ id }) => id)).toEqual(chain(0, 12).map(({ id }) => id));
  expect(next).toMatchObject({ headId: "m11", hasMore: false, queue: [] });
});

test("starts afresh where a message above the lower end was deleted: those below stand higher then", () => {
  const known: BranchRows = { headId: "m9", messages: chain(0, 10), hasMore: false, queue: [] };
  const risen = chain(5, 10).map((message) => ({ ...message, height: message.height - 1 }));
  expect(withLowerEnd(known, page(risen, true))).toMatchObject({ messages: risen, hasMore: true });
});

test("starts afresh where the shown branch is another one by now", () => {
  const other = page([row("x", null), row("y", "x")], false);
  expect(withLowerEnd({ headId: "m9", messages: chain(0, 10), hasMore: true, queue: [] }, other)).toEqual({
    headId: "y",
    messages: other.messages,
    hasMore: false,
    queue: [],
  });
});

test("adds a page at the top, unless the top is another one by now", () => {
  const known: BranchRows = { headId: "m9", messages: chain(5, 10), hasMore: true, queue: [] };
  expect(withUpperPage(known, "m5", page(chain(0, 5), false))).toEqual({
    headId: "m9",
    messages: chain(0, 10),
    hasMore: false,
    queue: [],
  });
  expect(withUpperPage(known, "m7", page(chain(0, 5), false))).toBe(known);
});

test("lets go of what was loaded above when somebody writes in a long thread", () => {
  const long: BranchRows = { headId: "m499", messages: chain(0, 500), hasMore: false, queue: [] };
  expect(lowerEndOnly(long)).toEqual({
    headId: "m499",
    messages: chain(500 - branchPage, 500),
    hasMore: true,
    queue: [],
  });
  const short: BranchRows = { headId: "m9", messages: chain(0, 10), hasMore: false, queue: [] };
  expect(lowerEndOnly(short)).toBe(short);
});
