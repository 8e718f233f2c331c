import { expect } from "vitest";
import { parseMarkdown } from "#web/markdown/parse.ts";
import { threadLinkUrl } from "#contract/thread-links.ts";
import type { Reply } from "#contract/fold.ts";
import { apiKey } from "#fixtures/people.ts";
import { owner } from "#server/apps/first-app.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import { sendAndWait, textOf } from "../support/clients/conversation.ts";
import { storeMessages } from "./store-messages.ts";

const callsOf = ({ parts }: Reply) =>
  parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
const sourcesOf = ({ parts }: Reply) => parts.filter((part) => part.type === "source");

const cabin = [
  "The wireless network at the cabin has the passphrase heron42.",
  "Good to know. Close the main tap before you leave in winter.",
];

describeServer("the built-in assistant, asked about threads", {}, (server) => {
  test("answers with numbered passages that link to their messages", async ({ ada }) => {
    const { threadId, ids } = await storeMessages(ada, cabin, { title: "Cabin" });
    const { reply } = await sendAndWait(ada, "What is the wireless passphrase of the cabin?");
    expect(callsOf(reply)).toEqual(["search_threads"]);
    expect(textOf(reply.parts)).toContain("> The wireless network at the cabin has the passphrase heron42.");
    expect(textOf(reply.parts)).toContain("**[1]** you in *Cabin*");
    expect(sourcesOf(reply)[0]).toMatchObject({
      url: threadLinkUrl({ threadId, messageId: ids[0]! }),
      title: "Cabin",
    });
    expect(textOf(reply.parts)).toMatch(/I only quote\..*needs a language model.*Ask the person who runs/s);
  });

  test.each([
    "What did I say about the cabin?",
    "what did we discuss about the wireless network",
    "Search my threads for the cabin passphrase",
    "who knows the passphrase of the cabin",
    "find everything about the cabin",
    "do you remember the passphrase of the cabin",
    "remind me about the wireless network",
  ])("searches for %j", async (question) => {
    const ada = server().inNewWorkspace();
    await storeMessages(ada, cabin, { title: "Cabin" });
    const { reply } = await sendAndWait(ada, question);
    expect(textOf(reply.parts)).toContain("heron42");
  });

  test("admits that it found nothing, and searches only its own workspace", async ({ ada }) => {
    const ben = server().inNewWorkspace();
    await storeMessages(ada, cabin, { title: "Cabin" });
    const { reply } = await sendAndWait(ben, "What did I say about the cabin?");
    expect(textOf(reply.parts)).toMatch(/^I am the built-in assistant.*Ask the person who runs/s);
    expect(sourcesOf(reply)).toEqual([]);
  });

  /** Names, code and URLs are not translated. */
  const foreign = /`[^`]*`|```[\s\S]*?```|\*\*?[^*]*\*\*?|OPENAI_\w+|OpenAI|Ollama|>.*/g;

  test.each([
    ["ماذا قلت عن الكوخ؟", /^من محادثاتك وملفاتك:/],
    ["ما كلمة مرور شبكة الكوخ؟", /أنا أقتبس فقط؛.*نموذج لغوي\..*اطلب ممن يشغّل هذا الخادم/s],
    ["ماذا قلت عن المنارة؟", /^أنا المساعد المدمج.*اطلب ممن يشغّل هذا الخادم/s],
    ["عمّ تحدثنا اليوم؟", /^آخر محادثاتك:\n\n- \*\*\[1\] الكوخ\*\* \(/],
    ["اكتب لي قصيدة عن البحر", /^أنا المساعد المدمج.*اطلب ممن يشغّل هذا الخادم/s],
    ["مرحبا", /^أنا المساعد المدمج.*اطلب ممن يشغّل هذا الخادم/s],
  ])("answers %j completely in Arabic", async (question, expected) => {
    const ada = server().inNewWorkspace();
    await storeMessages(
      ada,
      ["كلمة مرور شبكة الكوخ هي بلشون42.", "أغلق المحبس الرئيسي في الكوخ قبل الشتاء."],
      {
        title: "الكوخ",
      },
    );
    const { reply } = await sendAndWait(ada, question);
    const text = textOf(reply.parts);
    expect(text).toMatch(expected);
    expect(text.replace(/```[\s\S]*?```/g, "").replace(foreign, "")).not.toMatch(/[A-Za-z]{3}/);
  });

  test("names settings to the owner alone", async () => {
    const asked = async (who: Visitor) =>
      textOf((await sendAndWait(who, "How do I connect a model?")).reply.parts);
    expect(await asked(await server().owner())).toContain("(/settings/models)");
    const inWorkspaceNamedLikeOwners = keyHeaders(apiKey, { userId: "ben", workspaceId: owner.userId });
    for (const who of [await server().anonymous(), visitor(server().url, "ben", inWorkspaceNamedLikeOwners)])
      expect(await asked(who)).toMatch(/connected\. Ask the person who runs this server to connect one\.$/);
  });

  test("does not show passages that hardly match", async ({ ada }) => {
    await storeMessages(ada, cabin, { title: "Cabin" });
    const { reply } = await sendAndWait(ada, "Who won the chess championship in the winter of 1998?");
    expect(textOf(reply.parts)).toMatch(/^I am the built-in assistant/);
  });

  test("finds a note from another thread, but never its own answers", async ({ ada }) => {
    const note = await sendAndWait(ada, "The garage code is 7719, and the remote lies in the blue bowl");
    expect(callsOf(note.reply)).toEqual([]);
    for (let round = 0; round < 2; round++) {
      const { reply } = await sendAndWait(ada, "What is the code of the garage?");
      const text = textOf(reply.parts);
      expect(text.match(/7719/g)).toHaveLength(1);
      expect(sourcesOf(reply)).toHaveLength(1);
      expect(sourcesOf(reply)[0]).toMatchObject({ url: expect.stringContaining(note.thread_id) as string });
    }
  });

  test("answers in any script", async ({ ada }) => {
    await storeMessages(ada, ["下个月搬家，提前一周联系物业预约电梯。"], { title: "搬家" });
    await storeMessages(ada, ["الاجتماع يوم الأحد في قاعة المكتبة الكبيرة."], { title: "الاجتماع" });
    await storeMessages(ada, ["Der Schornsteinfeger kommt am 4. März um neun."], { title: "Haus" });
    const asked = async (question: string) => textOf((await sendAndWait(ada, question)).reply.parts);
    expect(await asked("搬家的电梯要找谁预约？")).toContain("联系物业预约电梯");
    expect(await asked("أين الاجتماع؟")).toContain("قاعة المكتبة");
    expect(await asked("Wann kommt der Schornsteinfeger?")).toContain("am 4");
  });

  test("lists the latest threads with links", async ({ ada }) => {
    const { reply: none } = await sendAndWait(ada, "list my recent threads");
    expect(textOf(none.parts)).toBe("There are no other chats yet.");
    const roof = await storeMessages(ada, ["The roof leaks at the chimney.", "Call a roofer."], {
      title: "Roof",
    });
    for (const question of ["What did we talk about lately?", "What did we talk about today?"]) {
      const { reply } = await sendAndWait(ada, question);
      expect(callsOf(reply), question).toEqual(["list_threads"]);
      expect(textOf(reply.parts), question).toContain("Roof** (");
      expect(sourcesOf(reply).map((source) => source.sourceType === "url" && source.url)).toContain(
        threadLinkUrl({ threadId: roof.threadId }),
      );
    }
  });

  test("escapes quotes, so that links, pictures and headings in them have no effect", async ({ ada }) => {
    await storeMessages(
      ada,
      [
        "# Hollyhock\n![x](https://evil.example/?q=1) [here](https://evil.example) <img src=https://evil.example/i> www.evil.example a@evil.example hollyhock\n\n| a |\n|---|\n| hollyhock |",
      ],
      { title: "![Hollyhock](https://evil.example/t)" },
    );
    for (const question of ["What did I say about the hollyhock?", "list my threads"]) {
      const { reply } = await sendAndWait(ada, question);
      const kinds = new Set<string>();
      const walk = (node: { type: string; children?: unknown[] }): void => {
        kinds.add(node.type);
        for (const child of node.children ?? []) walk(child as never);
      };
      walk(parseMarkdown(textOf(reply.parts)));
      for (const kind of ["link", "image", "html", "heading", "table", "linkReference", "definition"])
        expect([...kinds], question).not.toContain(kind);
    }
  });

  test("also calculates", async ({ ada }) => {
    await storeMessages(ada, ["240 of them were 15% too heavy"], {});
    const { reply } = await sendAndWait(ada, "What is 15% of 240?");
    expect(callsOf(reply)).toEqual(["calculate"]);
    expect(textOf(reply.parts)).toBe("`15% * 240` = **36**");
  });
});
