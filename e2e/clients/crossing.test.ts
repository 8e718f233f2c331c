import { AssistantCloud, CloudMessagePersistence } from "assistant-cloud";
import type { BrowserContext } from "playwright-core";
import { describe, expect, test } from "vitest";
import { newId, randomCharacters } from "#contract/ids.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { rawSql } from "#tests/support/postgres/raw-sql.ts";
import { chat, eventually, textOf } from "../support/chat.ts";
import { visit } from "../support/visit.ts";
import { startAppEnvironment } from "./environment.ts";

const { environment, openApp } = startAppEnvironment();

/** A person in the web app. */
async function openOurs() {
  const visitor = await visit(environment.browser, environment.server.url);
  return { visitor, at: chat(visitor.page) };
}

/**
 * The web app has its session in a cookie, a client has it in a stored token. Here the client gets a session of the same
 * user, so that both belong to one person.
 */
async function asSamePerson(ours: BrowserContext): Promise<(theirs: BrowserContext) => Promise<void>> {
  const kept = JSON.stringify({
    token: await refreshTokenOf(ours),
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const [key, value] = [JSON.stringify(`aui:refresh_token:${environment.server.url}`), JSON.stringify(kept)];
  const keep = `if (location.protocol === "http:" && !localStorage.getItem(${key})) localStorage.setItem(${key}, ${value});`;
  return async (theirs) => void (await theirs.addInitScript(keep));
}

/** No request turns a cookie into a refresh token, so the test adds a session of the same user. */
async function refreshTokenOf(ours: BrowserContext): Promise<string> {
  const cookie = async () => (await ours.cookies(environment.server.url))[0]?.value;
  await eventually(cookie, (value) => expect(value).toBeDefined());
  const columns = "user_id, device, created_at, expires_at, revoked_at";
  const token = `refresh_0${randomCharacters(48)}`;
  await rawSql({ dataDir: environment.server.folder }, async (run) => {
    await run(`insert into sessions (id, token_hash, ${columns})
      select '${newId("session")}', '${hashOf(token)}', ${columns} from sessions
      where token_hash = '${hashOf((await cookie()) ?? "")}'`);
  });
  return token;
}

/** A client with the session of the same person. */
async function cloudOf(ours: BrowserContext): Promise<AssistantCloud> {
  const refresh_token = await refreshTokenOf(ours);
  return new AssistantCloud({
    baseUrl: environment.server.url,
    telemetry: false,
    async authToken() {
      const response = await fetch(`${environment.server.url}/v1/auth/tokens/refresh`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ refresh_token }),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    },
  });
}

/**
 * A question for each client, whose answer has as many kinds of parts as possible. useDataStreamRuntime stores and shows
 * messages with the code of useCloudRuntime, and useThreads with that of useCloudChat.
 */
const rich = {
  useChatRuntime: 'Think of it with sources think=3 tool=weather({"city":"Oslo"}) tokens=4',
  useLocalRuntime: "Say every kind",
  useCloudRuntime: 'Think of it think=3 tool=calculate("6*7") tokens=4\nsources',
  useCloudChat: 'Think of it with sources think=3 tool=weather({"city":"Oslo"}) tokens=4',
} as const;

describe.each(Object.keys(rich) as (keyof typeof rich)[])("with %s and our own web app", (client) => {
  test("messages of each are complete in the other while both are open", async () => {
    const ours = await openOurs();
    await ours.at.composer.waitFor();
    const theirs = await openApp(client, { prepare: await asSamePerson(ours.visitor.context) });
    await theirs.at.ask(rich[client]);
    await theirs.stored(2);

    // The thread appears in the open web app without a reload.
    await ours.at.threads.getByRole("listitem").first().getByRole("link").click();
    const answer = ours.at.answers.first();
    await ours.at.questions.first().getByText(rich[client].slice(0, 8)).waitFor();
    await answer
      .getByRole("button", { name: /^Thoughts|^Thought for/ })
      .first()
      .waitFor();
    const tool = rich[client].includes("calculate") ? "calculate" : "weather";
    await answer.getByRole("button", { name: `Used ${tool}` }).click();
    await answer
      .getByText(tool === "weather" ? '"degrees": 3' : "42")
      .first()
      .waitFor();
    await answer
      .getByRole("list", { name: "Sources" })
      .getByText(tool === "weather" ? "A source" : "A", { exact: true })
      .waitFor();
    if (client === "useLocalRuntime") {
      await answer.getByText("Here is everything.").waitFor();
      await answer.getByRole("button", { name: /hello\.txt/ }).waitFor();
      await answer.getByRole("button", { name: /^Open the image/ }).waitFor();
    }
    if (tool === "weather") await answer.getByRole("button", { name: "Data: chart" }).waitFor();

    // A rating in the client is visible here. useLocalRuntime and runtimes based on it send none.
    if (client === "useChatRuntime") {
      await theirs.at.answers.first().getByRole("button", { name: "Good", exact: true }).click();
      await eventually(
        async () =>
          await answer
            .getByRole("button", { name: "Good answer", includeHidden: true })
            .getAttribute("aria-pressed"),
        (pressed) => expect(pressed).toBe("true"),
      );
    }
    await theirs.visitor.end();
    await ours.visitor.end();
  });

  test("a thread of the web app opens in the client with all messages", async () => {
    const ours = await openOurs();
    await ours.at.ask('Count for me think=3 tool=calculate("6*7") tokens=4\nsources');
    await ours.at.answers.first().getByRole("button", { name: "Used calculate" }).waitFor();
    await ours.at.settled();
    const row = ours.at.threads.getByRole("listitem").first().getByRole("link");
    // A row has no visible text before its first frame.
    await row.getByText("Count for me").waitFor();
    // Without the mark of the answer, which may stay a moment longer.
    const title = await row.locator("[dir=auto]").innerText();

    const theirs = await openApp(client, { prepare: await asSamePerson(ours.visitor.context) });
    expect(await theirs.at.titled()).toBe(title);
    await theirs.at.open(title);
    await theirs.at.shows({ question: "Count for me" });
    const answer = theirs.at.answers.first();
    const part = (kind: string) => answer.locator(`[data-part="${kind}"]`);
    await part("text").first().waitFor();
    expect(await part("reasoning").count()).toBeGreaterThan(0);
    expect(await part("tool").innerText()).toMatch(/^calculate \{"expression":"6\*7"\} .*42/);
    expect(await part("source").allInnerTexts()).toEqual([
      "A https://example.org/a",
      "B https://example.org/b",
    ]);

    // A new message in the client appears in the web app.
    await theirs.at.ask("And further\necho");
    await theirs.at.shows({ answer: "And further" });
    await ours.at.answers.nth(1).getByText("And further").waitFor();
    expect(await ours.at.questions.count()).toBe(2);
    await theirs.visitor.end();
    await ours.visitor.end();
  });
});

test("the web app shows messages in older formats and attachments", async () => {
  const ours = await openOurs();
  await ours.at.composer.waitFor();
  const cloud = await cloudOf(ours.visitor.context);
  const { thread_id } = await cloud.threads.create({ title: "From before", last_message_at: new Date() });
  const pixel =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
  const { message_id } = await cloud.threads.messages.create(thread_id, {
    parent_id: null,
    format: "aui/v0",
    content: {
      role: "user",
      content: [{ type: "text", text: "What are these?" }],
      metadata: { custom: {} },
      attachments: [
        {
          id: "1",
          type: "image",
          name: "dot.png",
          status: { type: "complete" },
          content: [{ type: "image", image: pixel }],
        },
        {
          id: "2",
          type: "document",
          name: "note.txt",
          status: { type: "complete" },
          content: [{ type: "text", text: "A note" }],
        },
      ],
    },
  });
  await cloud.threads.messages.create(thread_id, {
    parent_id: message_id,
    format: "ai-sdk/v5",
    content: {
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "A dot." },
        {
          type: "tool-look",
          toolCallId: "c",
          state: "output-error",
          input: { at: 1 },
          errorText: "Too small",
        },
        { type: "text", text: "A dot and a note." },
        { type: "source-document", sourceId: "d", title: "On dots", mediaType: "application/pdf" },
      ],
    },
  });
  await ours.at.threads.getByRole("link", { name: "From before", exact: true }).click();
  const [question, answer] = [ours.at.questions.first(), ours.at.answers.first()];
  await question.getByText("What are these?").waitFor();
  await question.getByRole("button", { name: "Open the image: dot.png" }).waitFor();
  await question.getByRole("button", { name: /note\.txt/ }).waitFor();
  await answer.getByText("A dot and a note.").waitFor();
  await answer.getByRole("button", { name: "Thoughts" }).waitFor();
  await answer.getByRole("button", { name: /look failed/ }).waitFor();
  await answer.getByRole("list", { name: "Sources" }).getByText("On dots").waitFor();
  await ours.visitor.end();
});

test("a message deleted by a client disappears from the open web app, and later messages stay", async () => {
  const ours = await openOurs();
  const { ask, settled, questions, answers } = ours.at;
  await ask("What is a river?");
  await settled();
  await ask("And a stone?");
  await settled();
  const threadId = new URL(ours.visitor.page.url()).pathname.split("/").at(-1) ?? "";
  const persistence = new CloudMessagePersistence(await cloudOf(ours.visitor.context));
  const idOf = async (words: string, role: string) => {
    const rows = await persistence.load(threadId);
    return rows.find(({ content }) => content.role === role && JSON.stringify(content).includes(words))!.id;
  };
  const shows = async (said: string[], answered: number) => {
    await eventually(
      async () => [await questions.count(), await answers.count()],
      (counts) => expect(counts).toEqual([said.length, answered]),
    );
    for (const [index, words] of said.entries()) await questions.nth(index).getByText(words).waitFor();
  };

  await persistence.delete(threadId, [await idOf("river", "assistant")]);
  await shows(["What is a river?", "And a stone?"], 1);
  await persistence.delete(threadId, [await idOf("river", "user")]);
  await shows(["And a stone?"], 1);

  // The answer to a deleted question is completed.
  await ask("Count slowly tokens=60 gap=50");
  const written = answers.nth(1).locator("p").first();
  await written.waitFor();
  await persistence.delete(threadId, [await idOf("Count slowly", "user")]);
  await shows(["And a stone?"], 2);
  await settled();
  const said = await textOf(written);
  expect(said.split(" ")).toHaveLength(60);
  await ours.visitor.page.reload();
  await shows(["And a stone?"], 2);
  expect(await textOf(written)).toBe(said);
  await ours.visitor.end();
});

test("the owner can claim the threads of an anonymous visitor of an app", async () => {
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
  });
  await chat(owner.page).composer.waitFor();
  const theirs = await openApp("useChatRuntime");
  const reported = theirs.visitor.page.waitForResponse((response) => response.url().endsWith("/v1/runs"));
  await theirs.at.ask("Nobody knows me yet\necho");
  const title = await theirs.at.titled();
  await theirs.stored(2);
  // After the claim, the visitor's report would name a thread that is no longer theirs.
  await reported;
  const kept = await theirs.visitor.page.evaluate(
    (key) => localStorage.getItem(key),
    `aui:refresh_token:${environment.server.url}`,
  );
  const { token } = JSON.parse(kept ?? "{}") as { token: string };
  const claimed = await owner.page.evaluate(async (refresh_token) => {
    const response = await fetch("/v1/threads/claim", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Parlance-Client": "web" },
      body: JSON.stringify({ refresh_token }),
    });
    return (await response.json()) as unknown;
  }, token);
  expect(claimed).toEqual({ moved: 1 });
  const { threads, answers } = chat(owner.page);
  await threads.getByRole("link", { name: title, exact: true }).click();
  await answers.first().getByText("Nobody knows me yet").waitFor();
  await theirs.visitor.page.reload();
  await eventually(theirs.at.titles, (titles) => expect(titles).toEqual([]));
  await theirs.visitor.end();
  await owner.end();
});
