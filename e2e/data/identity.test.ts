import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat, textOf } from "../support/chat.ts";
import { drop } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { startServer, type ServerProcess } from "../support/server.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("shows nothing of the visitor in any tab after the owner has signed in", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, settled, threads, questions } = chat(ada.page);
  await ask("Written as a visitor tokens=3");
  await settled();
  await threads.getByRole("listitem").first().waitFor();
  const second = await ada.tab(environment.server.ownerLink);
  await second.waitForURL(`${environment.server.url}/`);
  await threads.getByRole("listitem").first().waitFor({ state: "detached" });
  await ada.page.getByText("Chat not found").waitFor();
  expect(await questions.count()).toBe(0);

  // Both tabs continue as the owner and sync.
  const owner = chat(second);
  await owner.ask("Written as the owner tokens=3");
  await owner.settled();
  await threads.getByRole("listitem").first().waitFor();
});

const isRunStart = (request: string) => /^POST .*\/runs$/.test(request);
const composerSays = async (page: Page, words: string) =>
  await expect.poll(async () => await chat(page).composer.inputValue()).toBe(words);

/** Reloads the page and waits for the session. */
async function reload(page: Page): Promise<void> {
  const opened = page.waitForResponse((response) => response.url().endsWith("/v1/auth/session"));
  await page.reload();
  await (await opened).finished();
}

test("shows a visitor's drafts and files to nobody else, and sends them for nobody else", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, composer, questions } = chat(ada.page);
  await ada.context.route("**/runs", async (route) => await route.abort("connectionrefused"));
  await ask("Unsent as a visitor tokens=3");
  await questions.first().getByRole("button", { name: "Send again" }).waitFor();
  await ada.page.getByRole("button", { name: "New chat" }).click();
  await ada.page.waitForURL(`${environment.server.url}/`);
  await composer.fill("half a thought of a visitor");
  await drop(ada.page, [{ name: "of-a-visitor.txt", type: "text/plain", body: btoa("words") }]);
  const file = (page: Page) => page.getByText("of-a-visitor.txt");
  await file(ada.page).first().waitFor();

  const second = await ada.tab(environment.server.ownerLink);
  await second.waitForURL(`${environment.server.url}/`);
  for (const page of [ada.page, second]) {
    await composerSays(page, "");
    await file(page).first().waitFor({ state: "detached" });
  }
  const sentBefore = ada.requests.filter(isRunStart).length;
  await ada.context.unroute("**/runs");
  await ada.page.reload();
  await chat(ada.page).ask("Written as the owner by myself tokens=3");
  await chat(ada.page).answers.first().waitFor();
  await chat(ada.page).settled();
  expect(ada.requests.filter(isRunStart).length - sentBefore).toBe(1);
  await ada.page.goto("/");
  await composerSays(ada.page, "");
  expect(await file(ada.page).count()).toBe(0);
});

test("keeps the owner's drafts for the owner, even after signing in again", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink.replace(environment.server.url, ""),
    networkErrorsExpected: true,
  });
  await ada.page.waitForURL(`${environment.server.url}/`);
  await chat(ada.page).composer.fill("half a thought of the owner");
  await reload(ada.page);
  await composerSays(ada.page, "half a thought of the owner");
  await ada.context.clearCookies();
  await reload(ada.page);
  await composerSays(ada.page, "");
  await chat(ada.page).composer.fill("a visitor at the same browser");
  await ada.page.goto(environment.server.ownerLink);
  await ada.page.waitForURL(`${environment.server.url}/`);
  await composerSays(ada.page, "half a thought of the owner");
});

test("keeps a visitor's drafts when their session is lost", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { composer } = chat(ada.page);
  await composer.fill("Written before the session was lost");
  await reload(ada.page);
  await ada.context.clearCookies();
  await reload(ada.page);
  await composerSays(ada.page, "Written before the session was lost");
  await reload(ada.page);
  await composerSays(ada.page, "Written before the session was lost");
});

let elsewhere: ServerProcess;
beforeAll(async () => {
  elsewhere = await startServer({ PARLANCE_BASE_URL: environment.server.url });
});
afterAll(async () => await elsewhere.close());

test("uses a service on another origin with a bearer token, live and in every tab", async () => {
  const ada = await visit(environment.browser, elsewhere.url, { service: environment.server.url });
  const first = chat(ada.page);
  await first.ask("Tell me from afar tokens=40 gap=30");
  await expect.poll(async () => (await first.answers.first().innerText()).length).toBeGreaterThan(30);
  const second = chat(await ada.tab(new URL(ada.page.url()).pathname));
  await second.answers.first().waitFor();
  await Promise.all([first.settled(), second.settled()]);
  expect(await textOf(second.answers.first())).toBe(await textOf(first.answers.first()));
  expect(ada.requests.filter((request) => request.includes("/v1/auth/tokens/anonymous"))).toHaveLength(1);
  expect(await ada.context.cookies()).toEqual([]);
  await ada.page.reload();
  await first.answers.first().waitFor();
  expect(ada.requests.filter((request) => request.includes("/v1/auth/tokens/anonymous"))).toHaveLength(1);
});

test("lists the owner's sessions, and signs out another browser at once", async () => {
  const openAt = async (path: string) => {
    const one = await visit(environment.browser, environment.server.url, {
      path: environment.server.ownerLink,
      networkErrorsExpected: true,
    });
    await one.page.waitForURL(`${environment.server.url}/`);
    await one.page.goto(path);
    return one;
  };
  const there = await openAt("/");
  await chat(there.page).ask("Known only to the owner tokens=3");
  await chat(there.page).settled();
  const here = await openAt("/settings/sessions");
  const rows = here.page.getByRole("main").getByRole("listitem").filter({ hasText: "Signed in" });
  await rows.filter({ hasText: "This device" }).waitFor();
  expect(await rows.first().innerText()).toMatch(/Chrome on Linux[^]*Active now[^]*127\.0\.0\.1/);
  expect(await rows.count()).toBeGreaterThan(1);
  await here.page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await here.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click();
  await here.page.getByText("You’re not signed in anywhere else.").waitFor();
  expect(await rows.count()).toBe(1);
  // The other page ends without a reload.
  await chat(there.page).threads.getByText("Known only to the owner").first().waitFor({ state: "detached" });
});
