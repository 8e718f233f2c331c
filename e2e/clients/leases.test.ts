import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Response } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/chat.ts";
import { startAppEnvironment, type AtApp } from "./environment.ts";
import { clientPage } from "./page.ts";

/** The newest packages store an answer while it is written, with a lease that other tabs see. */

const folder = mkdtempSync(join(tmpdir(), "parlance-clock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = join(folder, "offset");
writeFileSync(clock, "0");
const movableClock = new URL("../../drill/support/movable-clock.mjs", import.meta.url).href;

const { environment, openApp } = startAppEnvironment(
  { NODE_OPTIONS: `--import ${movableClock}`, DRILL_CLOCK: clock },
  { newest: true },
);

const isWrite = (method: string) => (response: Response) =>
  response.request().method() === method && response.url().includes("/messages");

const isAnyWrite = (response: Response) => isWrite("POST")(response) || isWrite("PUT")(response);

/** The response with the lease of an answer that a page begins. */
const begunIn = (page: Page) =>
  page.waitForResponse((response) => (response.request().postData() ?? "").includes('"open_run":true'));

/** The requests for an answer. Those for a title have no tools. */
const requestsWith = (words: string) =>
  environment.model.requests
    .map(({ body }) => JSON.stringify(body ?? null))
    .filter((body) => body.includes(words) && body.includes('"tools"'));

/** Another tab of the same browser that shows the newest thread. */
async function otherTab({ visitor }: AtApp) {
  const { search } = new URL(visitor.page.url());
  const page = await visitor.tab(`/${search}`);
  const at = clientPage(page);
  await at.active.first().getByRole("button").first().click();
  return at;
}

test("useLocalRuntime stores a running answer; another tab shows that it runs elsewhere, and then the whole answer", async () => {
  const app = await openApp("useLocalRuntime");
  const { visitor, at } = app;
  await at.ask("First of all\necho");
  await at.shows({ answer: "First of all" });
  await app.stored(2);
  const begun = begunIn(visitor.page);
  await at.ask("Then the rest\nheld echo");
  expect((await begun).status()).toBe(201);
  const other = await otherTab(app);
  await other.page.getByText("Running in another tab").waitFor();
  environment.model.release();
  await at.shows({ answer: "Then the rest" });
  await other.shows({ answer: "Then the rest" });
  await other.page.getByText("Running in another tab").waitFor({ state: "detached" });
  expect(await other.answers.count()).toBe(2);
  expect(await other.alert.count()).toBe(0);
  expect(visitor.requests.filter((request) => /^POST .*\/runs\/lease_\w+\/end$/.test(request))).toHaveLength(
    2,
  );
  await visitor.end();
});

test("of a tab that dies in mid-answer the last checkpoint stays, marked as interrupted, over a crash of the server", async () => {
  const app = await openApp("useLocalRuntime", {
    networkErrorsExpected: true,
    prepare: async (context) => await context.clock.install(),
  });
  const { visitor, at } = app;
  await at.ask("Before\necho");
  await at.shows({ answer: "Before" });
  await app.stored(2);
  const begun = begunIn(visitor.page);
  await at.ask("Mid-answer tokens=40 stall=6");
  expect((await begun).status()).toBe(201);
  await eventually(
    async () => (await at.answers.last().innerText()).trim().split(/\s+/).length,
    (words) => expect(words).toBeGreaterThan(5),
  );
  const words = (await at.answers.last().locator("p, div, span").first().innerText()).trim();
  const checkpoint = visitor.page.waitForResponse(isWrite("PUT"));
  const heartbeat = visitor.page.waitForResponse((response) => response.url().endsWith("/heartbeat"));
  await visitor.page.clock.runFor(20_500);
  expect((await heartbeat).status()).toBe(200);
  expect((await checkpoint).status()).toBe(200);
  const other = await otherTab(app);
  await other.page.getByText("Running in another tab").waitFor();
  await visitor.page.close();
  await environment.server.kill();
  writeFileSync(clock, "30000");
  await environment.server.restart();
  await other.page.reload();
  await other.active.first().getByRole("button").first().click();
  await other.page.getByText("This response was interrupted before it finished.").waitFor();
  await other.shows({ answer: words.split(/\s+/).slice(0, 4).join(" ") });
  await visitor.end();
});

test("useServerRuntime: a page that is reloaded in mid-answer shows that it is being written, and then all of it", async () => {
  const app = await openApp("useServerRuntime");
  const { visitor, at } = app;
  await at.ask("Begin\necho");
  await at.shows({ answer: "Begin" });
  await app.stored(2);
  const begun = begunIn(visitor.page);
  await at.ask("All the rest of it\nheld echo");
  expect((await begun).status()).toBe(201);
  await visitor.page.reload();
  await at.active.first().getByRole("button").first().click();
  await visitor.page.getByText("Running in another tab").waitFor();
  environment.model.release();
  // The server waits for half a minute whether the page that asked stores the answer.
  await at.answers.getByText("All the rest of it").waitFor({ timeout: 60_000 });
  await visitor.page.getByText("Running in another tab").waitFor({ state: "detached" });
  expect(await at.answers.count()).toBe(2);
  expect(requestsWith("All the rest of it")).toHaveLength(1);
  await visitor.end();
});

test.each(["useChatRuntime", "createChatTransport"] as const)(
  "%s chats, and restores its history once after a reload in mid-answer",
  async (client) => {
    const app = await openApp(client, { networkErrorsExpected: true });
    const { visitor, at } = app;
    await at.ask("The first of all\necho");
    await at.shows({ answer: "The first of all" });
    await app.stored(2);
    const second = `The second of ${client}`;
    await at.ask(`${second}\nheld echo`);
    if (client === "createChatTransport") {
      await eventually(
        async () => requestsWith(second),
        (asked) => expect(asked).toHaveLength(1),
      );
      await visitor.page.reload();
      await at.active.first().getByRole("button").first().click();
      await at.shows({ question: second });
    }
    const written = visitor.page.waitForResponse((response) => {
      const body = response.request().postData() ?? "";
      return isAnyWrite(response) && body.includes('"role":"assistant"') && body.includes(second);
    });
    environment.model.release();
    await at.shows({ answer: second });
    expect((await written).ok()).toBe(true);
    await visitor.page.reload();
    await at.active.first().getByRole("button").first().click();
    await at.shows({ answer: second });
    expect(await at.answers.count()).toBe(2);
    expect((await at.answers.last().innerText()).split(second)).toHaveLength(2);
    await visitor.end();
  },
);
