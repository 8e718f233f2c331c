import { describe, expect, test, vi } from "vitest";
import type { RunNote } from "#contract/run-events.ts";
import { userMessage } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";
import { sendAndWait, type StartedRun, below } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const waitOptions = { timeout: 15_000, interval: 20 };
/** About 650 tokens. */
const filler = "and the garden needs water in the morning and again at night ".repeat(40);

/** Sends questions with a fact each until the thread has a summary. Returns the runs. */
async function talkUntilCompacted(who: Visitor, directives = ""): Promise<StartedRun[]> {
  const talks: StartedRun[] = [];
  for (let count = 1; count <= 30; count++) {
    const last = talks.at(-1);
    const to = last === undefined ? {} : below(last);
    const question = `Question ${count}.\nFact ${count} is blue.\n${filler} tokens=3 ${directives}`;
    talks.push(await sendAndWait(who, question, to));
    const summary = await settledSummary(who, talks.at(-1)!);
    if (summary !== null) return talks;
  }
  throw new Error("The thread was never compacted.");
}

async function branch(who: Visitor, { thread_id }: { thread_id: string }, head?: string) {
  const query = head === undefined ? {} : { head };
  return await who.call("messages.branch", { params: { thread_id }, query });
}

/** The summary of the branch shortly after its last answer: compaction begins when the answer has ended. */
async function settledSummary(who: Visitor, talk: StartedRun) {
  const context = await who.call("threads.context", { params: { thread_id: talk.thread_id } });
  if (context.tokens < context.budget! * 0.7) return (await branch(who, talk)).summary;
  return await vi
    .waitFor(
      async () => {
        const { summary } = await branch(who, talk);
        expect(summary).not.toBeNull();
        return summary;
      },
      { timeout: 1_000, interval: 100 },
    )
    .catch(() => null);
}

async function lastRequest(server: TestServer, words: string): Promise<string> {
  const requests = await server.requestsWith(words);
  return JSON.stringify(requests.at(-1)!.body!.messages);
}

async function ready(server: TestServer): Promise<Visitor> {
  const who = server.inNewWorkspace();
  await vi.waitFor(async () => {
    const { models } = await who.call("models.list");
    expect(models[0]).toMatchObject({ context_tokens: 8_000 });
  }, waitOptions);
  return who;
}

describeServer(
  "a branch that nears the limit of its model",
  { model: { contextTokens: 8_000 } },
  (server) => {
    test("is compacted after an answer: the model reads a summary, and the messages stay", async () => {
      const ada = await ready(server());
      const talks = await talkUntilCompacted(ada);
      const { summary, messages } = await branch(ada, talks[0]!);
      expect(summary).toMatchObject({ model: "env/fixture-1", is_edited: false });
      expect(summary!.text).toContain("Fact 1 is blue.");
      expect(summary!.message_count).toBeGreaterThan(2);
      expect(messages[summary!.message_count - 1]!.id).toBe(summary!.message_id);
      expect(messages).toHaveLength(2 * talks.length);
      const listed = await ada.call("messages.list", { params: { thread_id: talks[0]!.thread_id } });
      expect(listed.messages).toHaveLength(2 * talks.length);
      expect(JSON.stringify(listed)).not.toContain("summary");

      const next = talks.at(-1)!;
      await sendAndWait(ada, "What is next? tokens=2", below(next));
      const request = await lastRequest(server(), "What is next?");
      expect(request).toContain("Fact 1 is blue.");
      expect(request).not.toContain("Question 1.");
      expect(request).toContain(`Question ${talks.length}.`);
    });

    test("can be continued for a long time, because summaries are summarized", async () => {
      const ada = await ready(server());
      const talks = await talkUntilCompacted(ada);
      let last = talks.at(-1)!;
      for (let count = 0; count < 14; count++) {
        const talk = await sendAndWait(ada, `More ${count}. ${filler} tokens=3`, below(last));
        expect(talk.reply.end).toMatchObject({ state: "completed" });
        last = talk;
      }
      const { summary } = await branch(ada, last);
      expect(summary!.message_count).toBeGreaterThan(2 * talks.length);
      expect(summary!.text).toContain("Fact 1 is blue.");
    });

    test("has a summary that people can edit and remove", async () => {
      const ada = await ready(server());
      const talks = await talkUntilCompacted(ada);
      const { thread_id, reply_id } = talks.at(-1)!;
      const { message_id: summary_id } = (await branch(ada, talks[0]!)).summary!;
      const params = { thread_id, summary_id };
      const { summary } = await ada.call("summaries.update", { params, body: { text: "All was green." } });
      expect(summary).toMatchObject({ text: "All was green.", is_edited: true });
      const talk = await sendAndWait(ada, "After the edit? tokens=2", { thread_id, parent_id: reply_id });
      expect(await lastRequest(server(), "After the edit?")).toContain("All was green.");

      await ada.call("summaries.remove", { params });
      expect((await branch(ada, talk)).summary).toBeNull();
      await sendAndWait(ada, "After the removal? tokens=2", { thread_id, parent_id: talk.reply_id });
      const request = await lastRequest(server(), "After the removal?");
      expect(request).toContain("Question 1.");
      expect(request).not.toContain("All was green.");
      await ada.fails("summary-not-found", "summaries.remove", { params });
      await ada.fails("summary-not-found", "summaries.update", { params, body: { text: "x" } });
    });

    test("does not affect other branches, and keeps its summary when a message below it changes", async () => {
      const ada = await ready(server());
      const talks = await talkUntilCompacted(ada);
      const [first] = talks;
      const side = await sendAndWait(ada, "Another branch? tokens=2", {
        thread_id: first!.thread_id,
        parent_id: first!.reply_id,
      });
      expect((await branch(ada, side, side.reply_id)).summary).toBeNull();
      const request = await lastRequest(server(), "Another branch?");
      expect(request).toContain("Question 1.");
      expect(request).not.toContain("summary");
      const last = talks.at(-1)!;
      expect((await branch(ada, side, last.reply_id)).summary).not.toBeNull();

      const body = { content: userMessage("Something else.") };
      const params = { thread_id: last.thread_id, message_id: last.message_id };
      await ada.call("messages.update", { params, body });
      expect((await branch(ada, side, last.reply_id)).summary).not.toBeNull();
    });

    test.for(["deleted", "changed"])(
      "loses its summary when a message that it covers is %s",
      async (change) => {
        const ada = await ready(server());
        const talks = await talkUntilCompacted(ada);
        const { thread_id, message_id } = talks[0]!;
        if (change === "deleted")
          await ada.call("messages.remove", { params: { thread_id }, body: { message_ids: [message_id] } });
        else
          await ada.call("messages.update", {
            params: { thread_id, message_id },
            body: { content: userMessage("Never mind.") },
          });
        expect((await branch(ada, talks[0]!)).summary).toBeNull();
        expect(await ada.call("summaries.list", { params: { thread_id } })).toEqual({ summaries: [] });
      },
    );

    test("leaves out the oldest messages, and says so, when no summary can be written", async () => {
      const ada = await ready(server());
      let last = await sendAndWait(ada, `The first. ${filler} tokens=3 summary-status=400`);
      const notes: RunNote[] = [];
      for (let count = 0; count < 14; count++) {
        const to = below(last);
        last = await sendAndWait(ada, `Hopeless ${count}. ${filler} tokens=3 summary-status=400`, to);
        expect(last.reply.end).toMatchObject({ state: "completed" });
        notes.push(...(last.reply.notes ?? []));
      }
      expect(notes.at(-1)).toEqual({ kind: "messages-left-out", name: "" });
      expect((await branch(ada, last)).messages.at(-1)!.made_by!.notes).toEqual([notes.at(-1)]);
      expect((await branch(ada, last)).summary).toBeNull();
      const request = await lastRequest(server(), "Hopeless 13.");
      expect(request).not.toContain("The first.");
      expect(request).toContain("Hopeless 12.");
    });

    test("is compacted at a person's request", async () => {
      const ada = await ready(server());
      let last = await sendAndWait(ada, "Fact one is small. tokens=3");
      const params = { thread_id: last.thread_id };
      await ada.fails("nothing-to-summarize", "summaries.create", { params, body: {} });
      for (const text of ["Second? tokens=3", "Third? tokens=3"])
        last = await sendAndWait(ada, text, { ...params, parent_id: last.reply_id });
      expect(await ada.call("threads.context", { params })).toMatchObject({ can_compact: true });
      const { summary } = await ada.call("summaries.create", { params, body: {} });
      expect(summary).toMatchObject({ text: "Fact one is small. tokens=3", message_count: 2 });
      expect((await branch(ada, last)).summary).toEqual(summary);
      await ada.fails("nothing-to-summarize", "summaries.create", { params, body: {} });
    });

    test("reports that the model wrote no summary at a person's request", async () => {
      const ada = await ready(server());
      let last = await sendAndWait(ada, "One. tokens=3 summary-status=400");
      const params = { thread_id: last.thread_id };
      for (const text of ["Second? tokens=3", "Third? tokens=3"])
        last = await sendAndWait(ada, text, { ...params, parent_id: last.reply_id });
      await ada.fails("summary-failed", "summaries.create", { params, body: {} });
      expect((await branch(ada, last)).summary).toBeNull();
    });

    const faults = ["length", "content_filter", "tool_calls", "calls"];

    async function talkOfThree(directives: string) {
      const ada = await ready(server());
      let last = await sendAndWait(ada, `Fact one is small. tokens=3 ${directives}`);
      const params = { thread_id: last.thread_id };
      for (const text of ["Second? tokens=3", "Third? tokens=3"])
        last = await sendAndWait(ada, text, { ...params, parent_id: last.reply_id });
      const before = server().model.requests.length;
      const answer = await ada.ask("summaries.create", { params, body: {} });
      return { ada, last, answer, requests: server().model.requests.slice(before) };
    }

    test.for(faults)(
      "keeps its messages if the model only writes summaries that end by %s",
      async (fault) => {
        const { ada, last, answer, requests } = await talkOfThree(`summary-finish=${fault}`);
        expectProblem(answer, "summary-failed");
        expect(requests).toHaveLength(2);
        expect((await branch(ada, last)).summary).toBeNull();
        await sendAndWait(ada, "And now? tokens=2", below(last));
        expect(await lastRequest(server(), "And now?")).toContain("Fact one is small.");
      },
    );

    test.for(faults)("gets the second summary if the first one ended by %s", async (fault) => {
      const { ada, last, answer, requests } = await talkOfThree(`summary-finish=${fault} summary-times=1`);
      expect(answer.status).toBe(201);
      expect(requests).toHaveLength(2);
      expect((await branch(ada, last)).summary!.text).toMatch(/^Fact one is small\./);
    });

    test("is not compacted while it changes", async () => {
      const ada = await ready(server());
      let last = await sendAndWait(ada, "Fact of a secret. tokens=3 summary-wait=500");
      const { thread_id, message_id } = last;
      for (const text of ["Second? tokens=3", "Third? tokens=3"])
        last = await sendAndWait(ada, text, { thread_id, parent_id: last.reply_id });
      const compacting = ada.ask("summaries.create", { params: { thread_id }, body: {} });
      await expect
        .poll(() => JSON.stringify(server().model.requests.at(-1)!.body))
        .toContain("Summarize the beginning");
      const body = { content: userMessage("Forget it.") };
      await ada.call("messages.update", { params: { thread_id, message_id }, body });
      expectProblem(await compacting, "nothing-to-summarize");
      expect((await branch(ada, last)).summary).toBeNull();
    });

    test("notifies other tabs when a summary is written, changed or removed", async () => {
      const ada = await ready(server());
      let last = await sendAndWait(ada, "One. tokens=3");
      const { thread_id } = last;
      for (const text of ["Second? tokens=3", "Third? tokens=3"])
        last = await sendAndWait(ada, text, { thread_id, parent_id: last.reply_id });
      const live = await ada.live({ after: 0 });
      const { summary } = await ada.call("summaries.create", { params: { thread_id }, body: {} });
      const params = { thread_id, summary_id: summary.message_id };
      await ada.call("summaries.update", { params, body: { text: "Short." } });
      await ada.call("summaries.remove", { params });
      let seen = 0;
      await live.until(
        ({ data }) => data.type === "change" && data.change.type === "summary-put" && ++seen === 3,
      );
      live.close();
    });
  },
);

describe("the context of a branch", () => {
  describeServer("", { model: { contextTokens: 8_000 } }, (server) => {
    test("is counted as the provider counted the last answer", async () => {
      const ada = await ready(server());
      const talk = await sendAndWait(ada, `How much is it? ${filler} tokens=3`);
      const context = await ada.call("threads.context", { params: { thread_id: talk.thread_id } });
      const { usage } = (await ada.call("runs.get", { params: { run_id: talk.run_id } })).run;
      expect(context).toMatchObject({ model: "env/fixture-1", budget: 6_000, is_estimate: false });
      expect(Math.abs(context.tokens - usage.input! - usage.output!)).toBeLessThan(5);
      expect(context.parts.map(({ kind }) => kind)).toEqual(["instructions", "tools", "messages"]);
      await ada.fails("message-not-found", "threads.context", {
        params: { thread_id: talk.thread_id },
        query: { head: "msg_none" },
      });
    });

    test("of the built-in assistant has no budget", async () => {
      const ada = await ready(server());
      const talk = await sendAndWait(ada, "How much is it? tokens=3");
      const params = { thread_id: talk.thread_id };
      expect(await ada.call("threads.context", { params, query: { model: "builtin" } })).toMatchObject({
        budget: null,
        can_compact: false,
        is_estimate: true,
      });
    });
  });
});
