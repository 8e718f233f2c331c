import { expect, test } from "vitest";
import { parseMarkdown } from "#web/markdown/parse.ts";
import { placeUrl } from "#contract/places.ts";
import type { Reply } from "#contract/fold.ts";
import { describeServer } from "../support/server.ts";
import { sayAndHear, textOf } from "../support/talk.ts";
import { keep } from "./keep.ts";

const callsOf = ({ parts }: Reply) =>
  parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
const sourcesOf = ({ parts }: Reply) => parts.filter((part) => part.type === "source");

const cabin = [
  "The wireless network at the cabin has the passphrase heron42.",
  "Good to know. Close the main tap before you leave in winter.",
];

describeServer("the built-in assistant, asked about threads", { wordMs: 0 }, (server) => {
  test("answers with the passages, numbered, each with the link to its message", async () => {
    const ada = server().inNewWorkspace();
    const { threadId, ids } = await keep(ada, cabin, { title: "Cabin" });
    const { reply } = await sayAndHear(ada, "What is the wireless passphrase of the cabin?");
    expect(callsOf(reply)).toEqual(["search_threads"]);
    expect(textOf(reply.parts)).toContain("> The wireless network at the cabin has the passphrase heron42.");
    expect(textOf(reply.parts)).toContain("**[1]** you in *Cabin*");
    expect(sourcesOf(reply)[0]).toMatchObject({
      url: placeUrl({ threadId, messageId: ids[0]! }),
      title: "Cabin",
    });
    // An open question is one for a language model, so it says how to connect one.
    expect(textOf(reply.parts)).toMatch(
      /quote.*takes a language model, and none is connected here.*OPENAI_BASE_URL/s,
    );
  });

  test.each([
    "What did I say about the cabin?",
    "what did we discuss about the wireless network",
    "Search my threads for the cabin passphrase",
    "find everything about the cabin",
    "do you remember the passphrase of the cabin",
    "remind me about the wireless network",
  ])("understands %j as a wish to look", async (question) => {
    const ada = server().inNewWorkspace();
    await keep(ada, cabin, { title: "Cabin" });
    const { reply } = await sayAndHear(ada, question);
    expect(textOf(reply.parts)).toContain("heron42");
    expect(textOf(reply.parts)).not.toContain("OPENAI_BASE_URL");
  });

  test("says that nothing was found, and keeps to its own workspace", async () => {
    const ada = server().inNewWorkspace();
    const ben = server().inNewWorkspace();
    await keep(ada, cabin, { title: "Cabin" });
    const told = await sayAndHear(ben, "What did I say about the cabin?");
    expect(textOf(told.reply.parts)).toContain("I found nothing about *the cabin* in your threads.");
    expect(sourcesOf(told.reply)).toEqual([]);
    const asked = await sayAndHear(ben, "What is the passphrase of the wireless network?");
    expect(textOf(asked.reply.parts)).toContain("I understand this as a question for a language model");
    expect(textOf(asked.reply.parts)).not.toContain("heron");
  });

  test("says how to connect a model where nothing was found", async () => {
    const ada = server().inNewWorkspace();
    const { reply } = await sayAndHear(ada, "What did I say about the lighthouse?");
    expect(textOf(reply.parts)).toMatch(
      /I found nothing about \*the lighthouse\*.*takes a language model, and none is connected here\. .*OPENAI_BASE_URL/s,
    );
    const named = await sayAndHear(ada, "Summarise the thread about the lighthouse");
    expect(textOf(named.reply.parts)).toMatch(/I found nothing about.*OPENAI_BASE_URL/s);
  });

  /** Names, code and addresses stay as they are. */
  const foreign = /`[^`]*`|```[\s\S]*?```|\*\*?[^*]*\*\*?|OPENAI_\w+|OpenAI|Ollama|>.*/g;

  test.each([
    ["ماذا قلت عن الكوخ؟", /^ورد هذا في محادثاتك:|^أنسب المواضع/],
    ["ما كلمة مرور شبكة الكوخ؟", /أبحث وأقتبس؛.*نموذج لغوي، ولا نموذج موصول هنا\..*OPENAI_BASE_URL/s],
    [
      "ماذا قلت عن المرآب الكبير الشهر الماضي؟",
      /^لم أجد شيئًا عن \*المرآب الكبير\* في محادثاتك الشهر الماضي\./,
    ],
    ["ماذا قلت عن المنارة؟", /^لم أجد شيئًا عن \*المنارة\* في محادثاتك\..*OPENAI_BASE_URL/s],
    ["عمّ تحدثنا اليوم؟", /^محادثة واحدة اليوم:\n\n- \*\*\[1\] الكوخ\*\*: /],
    ["عمّ تحدثنا أمس؟", /^لم تكن هناك محادثة أخرى أمس\.$/],
    ["لخّص محادثتي الأخيرة", /^\*الكوخ\*، رسالتان، .*الجمل التي تقول معظم ما فيها:.*OPENAI_BASE_URL/s],
    ["اكتب لي قصيدة عن البحر", /^قرأت هذا \(\*اكتب لي قصيدة عن البحر\*\).*OPENAI_BASE_URL/s],
    ["موعد طبيب الأسنان يوم الثلاثاء في التاسعة", /^أحتفظ بهذا \(.*OPENAI_BASE_URL/s],
    ["مرحبا", /^مرحبًا! أنا المساعد المدمج.*OPENAI_BASE_URL/s],
    ["كيف أوصل نموذجًا؟", /^لا نموذج لغويًا موصول الآن\..*```sh\s+OPENAI_BASE_URL/s],
  ])("answers %j in Arabic, to the last word", async (question, expected) => {
    const ada = server().inNewWorkspace();
    await keep(ada, ["كلمة مرور شبكة الكوخ هي بلشون42.", "أغلق المحبس الرئيسي في الكوخ قبل الشتاء."], {
      title: "الكوخ",
    });
    const { reply } = await sayAndHear(ada, question);
    const text = textOf(reply.parts);
    expect(text).toMatch(expected);
    expect(text.replace(/```[\s\S]*?```/g, "").replace(foreign, "")).not.toMatch(/[A-Za-z]{3}/);
  });

  test("does not show what has little to do with the question", async () => {
    const ada = server().inNewWorkspace();
    await keep(ada, cabin, { title: "Cabin" });
    const { reply } = await sayAndHear(ada, "Who won the chess championship in the winter of 1998?");
    expect(textOf(reply.parts)).toContain("question for a language model");
  });

  test("keeps a note, and finds it from another thread, though never its own words about it", async () => {
    const ada = server().inNewWorkspace();
    const note = await sayAndHear(ada, "The garage code is 7719, and the remote lies in the blue bowl");
    expect(textOf(note.reply.parts)).toMatch(/^I keep this \(\*The garage code is 7719/);
    for (let round = 0; round < 2; round++) {
      const { reply } = await sayAndHear(ada, "What is the code of the garage?");
      const text = textOf(reply.parts);
      expect(text.match(/7719/g)).toHaveLength(1);
      expect(sourcesOf(reply)).toHaveLength(1);
      expect(sourcesOf(reply)[0]).toMatchObject({ url: expect.stringContaining(note.thread_id) as string });
    }
  });

  test("answers in any script", async () => {
    const ada = server().inNewWorkspace();
    await keep(ada, ["下个月搬家，提前一周联系物业预约电梯。"], { title: "搬家" });
    await keep(ada, ["الاجتماع يوم الأحد في قاعة المكتبة الكبيرة."], { title: "الاجتماع" });
    await keep(ada, ["Der Schornsteinfeger kommt am 4. März um neun."], { title: "Haus" });
    const asked = async (question: string) => textOf((await sayAndHear(ada, question)).reply.parts);
    expect(await asked("搬家的电梯要找谁预约？")).toContain("联系物业预约电梯");
    expect(await asked("أين الاجتماع؟")).toContain("قاعة المكتبة");
    expect(await asked("Wann kommt der Schornsteinfeger?")).toContain("am 4");
  });

  test("lists threads of a time, with links", async () => {
    const ada = server().inNewWorkspace();
    const roof = await keep(ada, ["The roof leaks at the chimney.", "Call a roofer."], { title: "Roof" });
    for (const question of [
      "What did we talk about today?",
      "list my recent threads",
      "what have we discussed this week",
    ]) {
      const { reply } = await sayAndHear(ada, question);
      expect(callsOf(reply), question).toEqual(["list_threads"]);
      expect(textOf(reply.parts), question).toContain("Roof**: The roof leaks at the chimney. (2 messages");
      expect(sourcesOf(reply).map((source) => source.sourceType === "url" && source.url)).toContain(
        placeUrl({ threadId: roof.threadId }),
      );
    }
    const { reply } = await sayAndHear(ada, "What did we talk about in 2019?");
    expect(textOf(reply.parts)).toBe("There was no other thread in 2019.");
  });

  test("summarises the last thread in its own sentences, and one that is named", async () => {
    const ada = server().inNewWorkspace();
    const garden = await keep(
      ada,
      [
        "Plan for the garden: tomatoes along the south wall, beans by the fence.",
        "Tomatoes want a roof against rain. Beans want poles of two metres. Water the tomatoes in the morning.",
        "The tomatoes go in on 15 May, after the last frost.",
        "Then buy the tomato plants in the first week of May.",
      ],
      { title: "Garden plan" },
    );
    await keep(ada, ["Bread wants 240 degrees.", "And steam."], { title: "Bread" });
    const named = await sayAndHear(ada, "Summarise the thread about the garden");
    expect(callsOf(named.reply)).toEqual(["search_threads", "read_thread"]);
    const text = textOf(named.reply.parts);
    expect(text).toContain("*Garden plan*, 4 messages");
    expect(text).toContain("Plan for the garden: tomatoes along the south wall");
    expect(text).toMatch(/I pick sentences and write none.*OPENAI_BASE_URL/s);
    for (const source of sourcesOf(named.reply))
      expect(source).toMatchObject({ url: expect.stringContaining(garden.threadId) as string });
    for (const [, number] of text.matchAll(/\[(\d+)\]/g))
      expect(sourcesOf(named.reply)[Number(number) - 1]).toBeDefined();

    const last = await sayAndHear(ada, "summarize my last thread");
    expect(callsOf(last.reply)).toEqual(["list_threads", "read_thread"]);
    expect(textOf(last.reply.parts)).toContain("Summarise the thread about the garden");
  });

  test("summarises the thread it is asked in, without what it said itself", async () => {
    const ada = server().inNewWorkspace();
    const first = await sayAndHear(ada, "The meeting about the harbour is moved to Tuesday at nine");
    const { reply } = await sayAndHear(ada, "Summarise this conversation", {
      thread_id: first.thread_id,
      parent_id: first.reply_id,
    });
    expect(callsOf(reply)).toEqual(["read_thread"]);
    const text = textOf(reply.parts);
    expect(text).toContain("You: The meeting about the harbour is moved to Tuesday at nine **[1]**");
    expect(text).not.toContain("I keep this");
    expect(sourcesOf(reply)).toMatchObject([
      { url: placeUrl({ threadId: first.thread_id, messageId: first.message_id }) },
    ]);
  });

  test("shows somebody's words as they are: no link, picture or heading of theirs comes to life", async () => {
    const ada = server().inNewWorkspace();
    await keep(
      ada,
      [
        "# Hollyhock\n![x](https://evil.example/?q=1) [here](https://evil.example) <img src=https://evil.example/i> www.evil.example a@evil.example hollyhock\n\n| a |\n|---|\n| hollyhock |",
      ],
      { title: "![Hollyhock](https://evil.example/t)" },
    );
    for (const question of [
      "What did I say about the hollyhock?",
      "list my threads",
      "summarise my last thread about nothing",
    ]) {
      const { reply } = await sayAndHear(ada, question);
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

  test("still calculates, converts and knows dates", async () => {
    const ada = server().inNewWorkspace();
    await keep(ada, ["240 of them were 15% too heavy"], {});
    const { reply } = await sayAndHear(ada, "What is 15% of 240?");
    expect(callsOf(reply)).toEqual(["calculate"]);
    expect(textOf(reply.parts)).toBe("15% of 240 is **36**.");
  });
});
