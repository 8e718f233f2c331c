import { expect, test } from "vitest";
import type { Branch, BranchMessage } from "#contract/endpoints/messages.ts";
import {
  branchPageSize,
  latestPageOnly,
  withLatestPage,
  withEarlierPage,
  type BranchRows,
} from "./branch-rows.ts";
import { regenerationEntry, messageEntry, type OutboxEntry } from "../outbox/outbox-entry.ts";
import { runsToFollow, visibleBranch } from "./visible-branch.ts";

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
    is_pinned: false,
    feedback: null,
    feedback_reason: null,
    feedback_comment: null,
    ...change,
  };
}

const rows = (...messages: BranchMessage[]): BranchRows => ({
  headId: messages.at(-1)?.id ?? null,
  messages,
  hasMore: false,
  queue: [],
  summary: null,
});
const question = row("q", null);
const answer = row("a", "q", { role: "assistant", run_id: "run_1" });
const content = { role: "user", content: [{ type: "text", text: "more" }] };
const message = (parentId: string | null, change: Partial<OutboxEntry> = {}): OutboxEntry => ({
  ...messageEntry({ threadId: "t", newThread: false, parentId, content, choice: {} }),
  ...change,
});
const show = (known: BranchRows | undefined, ...outgoing: OutboxEntry[]) =>
  visibleBranch(known, outgoing, new Map()).map(({ row: { id } }) => id);

test("inserts a sent message below its parent, with an empty running reply", () => {
  const out = message("a");
  const visible = visibleBranch(rows(question, answer), [out], new Map());
  expect(visible.map(({ row: { id, role, status } }) => [id, role, status.type])).toEqual([
    ["q", "user", "complete"],
    ["a", "assistant", "complete"],
    [out.message?.id, "user", "complete"],
    [out.replyId, "assistant", "running"],
  ]);
});

test("shows the first message of a thread that the server does not have yet", () => {
  const out = message(null);
  expect(show(undefined, out)).toEqual([out.message?.id, out.replyId]);
});

test("shows an edited message in place of the old one, as its sibling", () => {
  const out = message(null);
  const visible = visibleBranch(rows(question, answer), [out], new Map());
  expect(visible.map(({ row: { id } }) => id)).toEqual([out.message?.id, out.replyId]);
  expect(visible[0]?.row.siblings).toEqual(["q", out.message?.id]);
});

test("shows a regenerated answer as a sibling of the old ones", () => {
  const out = regenerationEntry({ threadId: "t", parentId: "q", choice: {} });
  const visible = visibleBranch(rows(question, { ...answer, siblings: ["a0", "a"] }), [out], new Map());
  expect(visible.map(({ row: { id } }) => id)).toEqual(["q", out.replyId]);
  expect(visible[1]?.row.siblings).toEqual(["a0", "a", out.replyId]);
});

test("shows an entry only once when the rows contain it", () => {
  const out = message("a", { state: "stored" });
  const known = rows(
    question,
    answer,
    row(out.message?.id ?? "", "a"),
    row(out.replyId, out.message?.id ?? "", { role: "assistant" }),
  );
  expect(show(known, out)).toEqual(known.messages.map(({ id }) => id));
});

test("leaves out a message whose parent is on another branch", () => {
  expect(show(rows(question, answer), message("elsewhere"))).toEqual(["q", "a"]);
});

test("keeps a failed message in its place, without a reply", () => {
  const out = message("a", { state: "failed" });
  expect(show(rows(question, answer), out)).toEqual(["q", "a", out.message?.id]);
});

test("counts a failed edit as a sibling when another branch is visible", () => {
  const out = message(null, { state: "failed", isHidden: true });
  const visible = visibleBranch(rows(question, answer), [out], new Map());
  expect(visible.map(({ row: { id } }) => id)).toEqual(["q", "a"]);
  expect(visible[0]?.row.siblings).toEqual(["q", out.message?.id]);
});

test("returns the same row objects for the same entry", () => {
  const out = message("a");
  const known = rows(question, answer);
  const [first, second] = [visibleBranch(known, [out], new Map()), visibleBranch(known, [out], new Map())];
  for (const [index, one] of first.entries()) expect(second[index]?.row).toBe(one.row);
});

test("shows a running reply from its run, and a complete one from its row", () => {
  const live = new Map([
    ["run_1", { reply: { parts: [{ type: "text" as const, text: "so far" }] }, model: "m" }],
  ]);
  const running = { ...answer, status: { type: "running" as const, reason: null, error_code: null } };
  expect(visibleBranch(rows(question, running), [], live)[1]?.live?.reply.parts).toHaveLength(1);
  expect(visibleBranch(rows(question, answer), [], live)[1]?.live).toBeUndefined();
});

test("follows active runs, and those that it is starting until they are in the rows", () => {
  const running = { ...answer, status: { type: "running" as const, reason: null, error_code: null } };
  const none = { active: [], starting: [] };
  expect(runsToFollow(rows(question, running), [])).toEqual({ ...none, active: ["run_1"] });
  expect(runsToFollow(rows(question, answer), [])).toEqual(none);
  const sending = message("a");
  for (const state of ["sending", "stored"] as const)
    expect(runsToFollow(rows(question, answer), [{ ...sending, state }])).toEqual({
      ...none,
      starting: [sending.runId],
    });
  expect(runsToFollow(rows(question, answer), [{ ...sending, state: "failed" }])).toEqual(none);
  const stored = { ...running, id: sending.replyId, run_id: sending.runId };
  expect(runsToFollow(rows(question, stored), [sending])).toEqual({ ...none, active: [sending.runId] });
});

const page = (messages: BranchMessage[], hasMore: boolean): Branch => ({
  thread_id: "t",
  head_id: messages.at(-1)?.id ?? null,
  messages,
  has_more: hasMore,
  queue: [],
  summary: null,
});
const chain = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => row(`m${from + i}`, `m${from + i - 1}`));

test("appends the latest page to the earlier messages", () => {
  const known: BranchRows = {
    headId: "m9",
    messages: chain(0, 10),
    hasMore: false,
    queue: [],
    summary: null,
  };
  const next = withLatestPage(known, page(chain(5, 12), true));
  expect(next.messages.map(({ id }) => id)).toEqual(chain(0, 12).map(({ id }) => id));
  expect(next).toMatchObject({ headId: "m11", hasMore: false, queue: [], summary: null });
});

test("drops the earlier messages if the heights show that one of them was deleted", () => {
  const known: BranchRows = {
    headId: "m9",
    messages: chain(0, 10),
    hasMore: false,
    queue: [],
    summary: null,
  };
  const movedUp = chain(5, 10).map((message) => ({ ...message, height: message.height - 1 }));
  expect(withLatestPage(known, page(movedUp, true))).toMatchObject({ messages: movedUp, hasMore: true });
});

test("drops the earlier messages if the branch has changed", () => {
  const other = page([row("x", null), row("y", "x")], false);
  expect(
    withLatestPage({ headId: "m9", messages: chain(0, 10), hasMore: true, queue: [], summary: null }, other),
  ).toEqual({
    headId: "y",
    messages: other.messages,
    hasMore: false,
    queue: [],
    summary: null,
  });
});

test("prepends an earlier page, unless the first message has changed", () => {
  const known: BranchRows = { headId: "m9", messages: chain(5, 10), hasMore: true, queue: [], summary: null };
  expect(withEarlierPage(known, "m5", page(chain(0, 5), false))).toEqual({
    headId: "m9",
    messages: chain(0, 10),
    hasMore: false,
    queue: [],
    summary: null,
  });
  expect(withEarlierPage(known, "m7", page(chain(0, 5), false))).toBe(known);
});

test("drops the earlier pages of a long branch when a message is sent", () => {
  const long: BranchRows = {
    headId: "m499",
    messages: chain(0, 500),
    hasMore: false,
    queue: [],
    summary: null,
  };
  expect(latestPageOnly(long)).toEqual({
    headId: "m499",
    messages: chain(500 - branchPageSize, 500),
    hasMore: true,
    queue: [],
    summary: null,
  });
  const short: BranchRows = {
    headId: "m9",
    messages: chain(0, 10),
    hasMore: false,
    queue: [],
    summary: null,
  };
  expect(latestPageOnly(short)).toBe(short);
});
