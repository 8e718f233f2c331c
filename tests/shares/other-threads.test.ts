import { beforeAll, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, shareWith, uploadPicture } from "./sharing.ts";

describeServer(
  "what an answer has from other threads, in a shared one",
  { model: { contextTokens: 8_000 } },
  (server) => {
    let ada: Browser;
    let ben: Browser;
    beforeAll(async () => {
      const owner = await createOwner(server());
      ada = await join(owner, { email: "ada@example.com" });
      ben = await join(owner, { email: "ben@example.com" });
    });

    const readThread = { type: "tool-call", toolCallId: "c", toolName: "read_thread" };

    /** Adds an answer with these parts to Ada's thread, and returns its id. */
    async function addAnswer(threadId: string, parentId: string, parts: JsonObject[]): Promise<string> {
      const content = { role: "assistant" as const, content: parts };
      const body = { parent_id: parentId, format: "aui/v0", content };
      const added = await ada.call("messages.add", { params: { thread_id: threadId }, body });
      return added.message_id;
    }

    test("is kept from members and from models", async () => {
      const { threadId, replyId } = await ask(ada, "What did I write elsewhere?");
      const parentId = await addAnswer(threadId, replyId, [
        { ...readThread, args: { of: "a secret" }, result: "a secret" },
        { type: "source", sourceType: "url", id: "s", url: "/t/thread_1", title: "a secret" },
        { type: "text", text: "Only this is said." },
      ]);
      await shareWith(ada, threadId, ben);
      const seenBy = async (who: Visitor) =>
        JSON.stringify(await who.call("messages.branch", { params: { thread_id: threadId } }));
      expect(await seenBy(ben)).toContain("Only this is said.");
      expect(await seenBy(ben)).not.toContain("a secret");
      expect(await seenBy(ada)).toContain("a secret");
      await ask(ben, "What was it, thirdly?", { threadId, parentId });
      const [request] = await server().requestsWith("thirdly");
      expect(JSON.stringify(request)).toContain("Only this is said.");
      expect(JSON.stringify(request)).not.toContain("a secret");
    });

    test("is not in a summary from before it was shared, nor is the secret of a file's address", async () => {
      const { url } = await uploadPicture(ada);
      const { threadId, replyId } = await ask(ada, `Fact one is at ${url}`);
      const parentId = await addAnswer(threadId, replyId, [
        { ...readThread, args: {}, result: { text: "Fact two is a secret" } },
        { type: "text", text: "Fact three is said." },
      ]);
      let last = parentId;
      for (const words of ["And then?", "And now?", "And later?"])
        last = (await ask(ada, words, { threadId, parentId: last })).replyId;
      const params = { thread_id: threadId };
      const { summary } = await ada.call("summaries.create", { params, body: {} });
      expect(summary.text).toContain(url);
      expect(summary.text).toContain("Fact three");
      await shareWith(ada, threadId, ben);
      const seen = JSON.stringify((await ben.call("messages.branch", { params })).summary);
      expect(seen).toContain("Fact three");
      expect(seen).not.toContain("a secret");
      expect(seen).not.toContain(url);
    });

    test("is not read while the thread becomes shared", async () => {
      await ask(ada, "The heron nests at Borth.");
      const thread_id = newId("thread");
      const text = 'What nests? first=1500 tool=search_threads({"query":"heron"})';
      const { run_id } = await ada.call("runs.start", {
        params: { thread_id },
        body: { message: { parent_id: null, content: userMessage(text) } },
      });
      await shareWith(ada, thread_id, ben);
      const log = JSON.stringify(await (await ben.events(run_id)).rest());
      expect(log).toContain("other chats cannot be read in it");
      expect(log).not.toContain("Borth");
    });

    test("has no tools in a request of a client or in the size of the next one", async () => {
      const { threadId } = await ask(ada, "The bittern nests at Neath.");
      const toolTokens = async () => {
        const context = { params: { thread_id: threadId }, query: { model: "builtin" } };
        const { parts } = await ada.call("threads.context", context);
        return parts.find(({ kind }) => kind === "tools")!.tokens;
      };
      const offered = async (words: string) => {
        const messages = [userMessage(words)];
        const body = { thread_id: threadId, assistant_id: "default", model: "env/fixture-1", messages };
        expect((await ada.ask("runs.stream", { body })).status).toBe(200);
        const [request] = await server().requestsWith(words);
        return JSON.stringify(request!.body!["tools"]);
      };
      const before = await toolTokens();
      expect(await offered("What nests, beforehand?")).toContain("search_threads");
      await shareWith(ada, threadId, ben);
      expect(await toolTokens()).toBeLessThan(before);
      expect(await offered("What nests, afterwards?")).not.toContain("search_threads");
    });

    test("is not in the events that members get, also of earlier answers", async () => {
      await ask(ada, "The egret nests at Tenby.");
      const { threadId, runId } = await ask(ada, 'Look: tool=search_threads({"query":"egret nests"})');
      expect(JSON.stringify(await (await ada.events(runId)).rest())).toContain("Tenby");
      await shareWith(ada, threadId, ben);
      const log = await (await ben.events(runId)).rest();
      expect(log.at(-1)!.data).toMatchObject({ type: "run-end", state: "completed" });
      expect(JSON.stringify(log)).toContain("search_threads");
      // What the answer says stays.
      const read = log.filter(({ data }) => data.type !== "text-delta");
      for (const secret of ["Tenby", "egret", "/t/thread_"])
        expect(JSON.stringify(read)).not.toContain(secret);
      const later = await (await ben.events(runId, 3)).rest();
      expect(later).toEqual(log.slice(3));
    });
  },
);
