import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { sendAndWait } from "../support/clients/conversation.ts";
import { createOwner, type Browser } from "../support/clients/browser.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

type Item = { kind: string; sha256: string; toolName?: string };
type Body = {
  messages: { content: string | { text: string }[] | null }[];
  tools?: { function: { name: string } }[];
};

describeServer("a request to a model", { model: true }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
    await owner.call("personalInstructions.put", { body: { instructions: "I keep bees." } });
  });
  const hash = (text: string | Buffer, encoding: "hex" | "base64url") =>
    createHash("sha256").update(text).digest(encoding);

  async function stream(prompt: string, more: object = {}): Promise<void> {
    const { thread_id } = await owner.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const response = await owner.ask("runs.stream", {
      body: {
        assistant_id: "default",
        thread_id,
        messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
        system: "Speak of engines.",
        tools: { paint: { description: "Paints", parameters: { type: "object", properties: {} } } },
        ...more,
      },
    });
    expect(response.status).toBe(200);
  }

  async function chat(prompt: string, model: string): Promise<void> {
    const { secret } = await owner.call("keys.create", { body: { name: "A script" } });
    const paint = { name: "paint", parameters: { type: "object", properties: {} } };
    const response = await fetch(`${server().url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: prompt }],
        tools: [{ type: "function", function: paint }],
      }),
    });
    expect(response.status).toBe(200);
    await response.text();
  }

  const callers: [string, (prompt: string) => Promise<unknown>, string[] | undefined][] = [
    ["the web app", async (prompt) => await sendAndWait(owner, prompt), ["instructions", "message", "tool"]],
    ["a client of the protocol", stream, ["instructions", "message", "tool"]],
    [
      "a resumable answer",
      async (prompt) => await stream(prompt, { resumable: true }),
      ["instructions", "message", "tool"],
    ],
    [
      "an API client",
      async (prompt) => await chat(prompt, "env/fixture-1"),
      // Nothing of what API clients send is kept.
      undefined,
    ],
    ["an API client with an assistant", async (prompt) => await chat(prompt, "assistant/default"), undefined],
  ];

  test.for(callers)("of %s is recorded with all that it says", async ([name, ask, kinds]) => {
    const prompt = `What about ${name}? tokens=1`;
    await ask(prompt);
    const { body, rawBody } = (await server().requestsWith(prompt))[0]!;
    const recorded = await rawSql(
      server().place,
      async (run) =>
        await run(
          `select outcome, body_bytes, items from model_requests left join request_contents on id = request_id
            where body_sha256 = '${hash(rawBody, "hex")}'`,
        ),
    );
    const [request] = recorded;
    expect([recorded.length, request!["outcome"], request!["body_bytes"]]).toEqual([
      1,
      "completed",
      rawBody.length,
    ]);
    if (kinds === undefined) {
      expect(request!["items"]).toBeNull();
      return;
    }
    const items = JSON.parse(String(request!["items"])) as Item[];
    expect([...new Set(items.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
    const { messages, tools = [] } = body as Body;
    const texts = messages.flatMap(({ content }) =>
      typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text),
    );
    const listed = items.filter(({ kind }) => kind !== "tool").map(({ sha256 }) => sha256);
    expect(texts.map((text) => hash(text, "base64url"))).toEqual(listed);
    expect(tools.map((tool) => tool.function.name)).toEqual(items.flatMap(({ toolName }) => toolName ?? []));
    const hasPersonal = texts.some((text) => text.includes("I keep bees."));
    expect(hasPersonal).toBe(name === "the web app");
  });
});
