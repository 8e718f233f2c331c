import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startMailServer } from "#fixtures/mail/mail-server.ts";
import type { ModelServer } from "#fixtures/model-server/model-server.ts";
import { listenLocally } from "#fixtures/local-server.ts";
import { apiKey, people, userMessage } from "#fixtures/people.ts";
import { createOwner, openBrowser } from "../support/clients/browser.ts";
import { bearer, visitor } from "../support/clients/visitor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { killServer } from "../support/servers/kill-server.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

const assistantMessage = (text: string) => ({ ...userMessage(text), role: "assistant" as const });

const settingsOf = ({ url }: ModelServer) => ({ OPENAI_BASE_URL: url, OPENAI_MODEL: "fixture-1" });

/** A thread for whose title the model is asked, and does not answer the first time. */
async function threadWithHeldTitle(server: { url: string }, provider: ModelServer): Promise<string> {
  const ada = adaOn(server);
  const { thread_id: threadId } = await ada.call("threads.create", {
    body: { last_message_at: new Date().toISOString() },
  });
  for (const content of [userMessage("What do looms eat?"), assistantMessage("Thread.\nheld times=1")])
    await ada.call("messages.add", {
      params: { thread_id: threadId },
      body: { parent_id: null, format: "aui/v0", content },
    });
  const isAsked = () => provider.requests.some(({ rawBody }) => rawBody.includes("title of at most"));
  await expect.poll(isAsked, { timeout: 10_000 }).toBe(true);
  return threadId;
}

const jobsOf = async (place: Parameters<typeof rawSql>[0], kind: string) =>
  await rawSql(place, async (run) => await run(`select * from jobs where kind = '${kind}'`));

describe.for(engines)("work that a server leaves (%s)", (engine) => {
  test.for(["SIGKILL", "SIGTERM"] as const)("is done by the next one: a title, after %s", async (signal) => {
    const place = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await childForTest(place, provider);
    const threadId = await threadWithHeldTitle(first, provider);
    if (signal === "SIGKILL") await killServer(first, place);
    else expect((await first.end(signal)).code).toBe(0);
    const second = await serverForTest({ engine, place, settings: settingsOf(provider) });
    const title = async () =>
      (await adaOn(second).call("threads.get", { params: { thread_id: threadId } })).thread.title;
    await expect.poll(title, { timeout: 15_000 }).not.toBeNull();
    await expect.poll(async () => await jobsOf(place, "client-title")).toEqual([]);
  });

  test("is done by the next one: a message that was promised", async () => {
    const place = await placeForTest(engine);
    const { port: free, close: leave } = await listenLocally(createServer());
    await leave();
    const settings = { PORT: String(free), PUBLIC_URL: `http://127.0.0.1:${free}` };
    const silent = createServer(() => {});
    const { port, close } = await listenLocally(silent);
    onTestFinished(close);
    const first = await childForTest(place, undefined, settings);
    const owner = await createOwner(first);
    await owner.call("mail.put", {
      body: { host: "127.0.0.1", port: port, security: "none", username: null, sender: "chat@example.com" },
    });
    const ask = { email: "olga@example.com", language: "en" as const };
    expect((await openBrowser(first.url).post("accounts.requestReset", ask)).status).toBe(200);
    await expect.poll(async () => (await jobsOf(place, "reset-mail"))[0]?.["lease_owner"]).toBeTruthy();
    const [job] = await jobsOf(place, "reset-mail");
    expect(JSON.stringify(job), "no address is stored with it").not.toContain("olga@example.com");
    await killServer(first, place);

    const mails = await startMailServer();
    onTestFinished(mails.close);
    await rawSql(place, async (run) => await run(`update mail_settings set port = ${mails.port}`));
    await serverForTest({ engine, place, settings });
    expect((await mails.take("olga@example.com")).source).toContain("reset_0");
    await expect.poll(async () => await jobsOf(place, "reset-mail")).toEqual([]);
  });

  test("is forgotten with a person who is erased, and with their threads", async () => {
    const place = await placeForTest(engine);
    const provider = await modelForTest();
    const server = await serverForTest({ engine, place, settings: settingsOf(provider) });
    await threadWithHeldTitle(server, provider);
    expect(await jobsOf(place, "client-title")).toHaveLength(1);
    // Users of a backend are erased by it.
    const backend = visitor(server.url, "the backend", bearer(apiKey));
    await backend.call("apps.eraseUser", { params: { user_id: people.ada.userId } });
    expect(await jobsOf(place, "client-title")).toEqual([]);
    provider.release();
  });
});
