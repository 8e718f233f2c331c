import { expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import {
  readWholeLog,
  sendAndGetCall,
  sendAndWait,
  startRun,
  textOf,
} from "../support/clients/conversation.ts";
import { describeServer, startTestServer } from "../support/servers/server.ts";

const call = (args: object) => `tool=artifact(${JSON.stringify(args)})`;
const html = (text: string) => `<title>Clock</title><p>${text}</p>`;
const fenced = (info: string, code: string) => `\`\`\`html ${info}\n${code}\n\`\`\`\n`;

describeServer("the artifact tool", { model: true }, (server) => {
  test("adds each version to the answer, where models, exports and search find it", async () => {
    const ada = await server().anonymous();
    const create = { action: "create", title: "Clock", language: "html", content: html("willowgreen") };
    const first = await sendAndWait(ada, `Make. tokens=2 ${call(create)}`);
    expect(first.reply.parts).toMatchObject([
      { type: "tool-call", result: { title: "Clock", version: 1 } },
      { type: "text", text: fenced('title="Clock"', html("willowgreen")) },
      { type: "text" },
    ]);
    const below = { thread_id: first.thread_id, parent_id: first.reply_id };
    const change = (old: string) =>
      call({ action: "update", title: "Clock", changes: [{ old, new: "poplarblue" }] });
    const second = await sendAndWait(
      ada,
      `Change. tokens=2 ${change("oakred")} ${change("willowgreen")}`,
      below,
    );
    expect(second.reply.parts).toMatchObject([
      { type: "tool-call", isError: true, result: { error: expect.stringContaining("not in the artifact") } },
      { type: "tool-call", result: { version: 2 } },
      { type: "text", text: fenced('title="Clock" update', html("poplarblue")) },
      { type: "text" },
    ]);
    // Another branch does not have that version.
    const other = await sendAndWait(ada, `Another. tokens=2 ${change("poplarblue")}`, below);
    expect(other.reply.parts[0]).toMatchObject({ isError: true });

    await sendAndWait(ada, "Third question tokens=2", {
      thread_id: first.thread_id,
      parent_id: second.reply_id,
    });
    const [request] = await server().requestsWith("Third question");
    expect(JSON.stringify(request!.body!.messages)).toContain(
      JSON.stringify(html("poplarblue")).slice(1, -1),
    );
    const markdown = await ada.ask("exports.thread", {
      params: { thread_id: first.thread_id },
      query: { format: "markdown" },
    });
    expect(markdown.text).toContain(fenced('title="Clock" update', html("poplarblue")));
    const found = async (who: typeof ada) =>
      (await who.call("search.find", { query: { q: "poplarblue" } })).hits.length;
    expect(await found(ada)).toBeGreaterThan(0);
    expect(await found(await server().anonymous())).toBe(0);
    expect(textOf(second.reply.parts)).not.toContain("willowgreen");
  });

  test("leaves no text for the model to continue after the person answered a question", async () => {
    const ada = await server().anonymous();
    const create = { action: "create", title: "Clock", language: "html", content: html("willowgreen") };
    const question = `Make and ask. tokens=2 ${call(create)}`;
    const ask = 'tool=ask_person({"question":"Which colour?","choices":["red","blue"]})';
    const { run_id } = await sendAndGetCall(ada, `${question} ${ask}`);
    await ada.call("runs.giveResult", {
      params: { run_id },
      body: { tool_call_id: "call_0_1", result: { chosen: ["blue"] } },
    });
    const reply = fold(await readWholeLog(ada, run_id));
    expect(reply.parts).toMatchObject([
      { toolName: "artifact", result: { version: 1 } },
      { toolName: "ask_person", result: { chosen: ["blue"] } },
      { type: "text", text: fenced('title="Clock"', html("willowgreen")) },
      { type: "text" },
    ]);
    const { messages } = (await server().requestsWith("Make and ask")).at(-1)!.body! as {
      messages: { role: string }[];
    };
    expect(messages.slice(-4).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(JSON.stringify(messages)).not.toContain("broken off");
  });
});

describeServer("an answer that ends in a call of the artifact tool", { model: true }, (server) => {
  const create = { action: "create", title: "Clock", language: "html", content: html("willowgreen") };
  const cut = `\`\`\`html title="Clock"\n${create.content.slice(0, 30)}`;
  const args = JSON.stringify(create);
  /** As many pieces of five characters as have the start of the content. */
  const pieces = Math.ceil((args.indexOf(create.content.slice(0, 30)) + 30) / 5);
  const inPieces = `${call(create)} pieces=${Math.ceil(args.length / 5)}`;

  test.each([
    ["the connection breaks", "die"],
    ["the stream ends early", "cut"],
  ])("keeps what was written when %s, and continues it", async (_, failure) => {
    const ada = await server().anonymous();
    const ended = await sendAndWait(ada, `Make. ${inPieces} ${failure}=${pieces + 1}`);
    expect(ended.reply.end).toMatchObject({ state: "failed" });
    const kept = textOf(ended.reply.parts);
    expect(kept.startsWith(cut)).toBe(true);
    expect(ended.reply.parts.map(({ type }) => type)).toEqual(["tool-call", "text"]);
    const going = await ada.call("runs.continue", { params: { run_id: ended.run_id }, body: {} });
    const after = textOf(fold(await readWholeLog(ada, going.run_id)).parts);
    expect(after.startsWith(kept) && after.length > kept.length).toBe(true);
    const request = (await server().requestsWith("Go on exactly")).at(-1)!;
    const { messages } = request.body! as { messages: { role: string; content: string }[] };
    expect(messages.at(-2)).toMatchObject({ role: "assistant", content: kept });
  });

  test("keeps what was written when a person stops it, and nothing of a change", async () => {
    const ada = await server().anonymous();
    const change = call({ action: "update", title: "Clock", changes: [{ old: "willow", new: "poplar" }] });
    for (const [asked, kept] of [
      [`${inPieces} stall=${pieces + 1}`, expect.stringContaining(cut.slice(0, 30))],
      [`${change} pieces=30 stall=25`, ""],
    ] as const) {
      const talk = await startRun(ada, asked);
      let args = "";
      const stream = await ada.events(talk.run_id);
      await stream.until(({ data }) => {
        if (data.type === "tool-call-delta") args += data.args_text;
        return args.includes("willow");
      });
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
      const { parts, end } = fold(await readWholeLog(ada, talk.run_id));
      expect(end).toMatchObject({ state: "cancelled" });
      expect(parts[0]).toMatchObject({ type: "tool-call", toolName: "artifact" });
      expect(textOf(parts)).toEqual(kept);
      expect(parts.length).toBe(kept === "" ? 1 : 2);
    }
  });
});

test("the owner can turn the artifact tool off", async () => {
  const server = await startTestServer({
    engine: "sqlite",
    model: true,
    settings: { PARLANCE_ARTIFACT_TOOL: "off" },
  });
  try {
    await sendAndWait(server.inNewWorkspace(), "Only in blocks tokens=2");
    const [request] = await server.requestsWith("Only in blocks");
    const offered = request!.body!.tools as { function: { name: string } }[];
    const names = offered.map((tool) => tool.function.name);
    expect(names).toContain("calculate");
    expect(names).not.toContain("artifact");
  } finally {
    await server.close();
  }
});
