import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenLocally, type LocalServer } from "../../fixtures/local-server.ts";
import { startIssuer, type Issuer } from "../../fixtures/issuer/issuer.ts";
import { drop, fiveFiles, uploaded } from "../support/drop.ts";
import { startServer, type ServerProcess } from "../support/server.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

/** A third-party app on another origin with its own identity provider. */
const environment = startEnvironment({ model: false });
let provider: Issuer;
let app: LocalServer;
/** The app's page, on another origin than the service. */
let elsewhere: ServerProcess;
beforeAll(async () => {
  provider = await startIssuer();
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Shop</title>');
  });
  app = await listenLocally(server);
  elsewhere = await startServer({ PARLANCE_BASE_URL: environment.server.url });
});
afterAll(async () => {
  await elsewhere?.close();
  await app.close();
  await provider.close();
});

type Seen = { status: number; exchanged: string | null } | "nothing";

/** What a script of the app sees of a call; `nothing` if the browser blocks the response. */
async function call(page: Page, path: string, token: string): Promise<Seen> {
  return await page.evaluate(
    async ([url = "", bearer = ""]) => {
      try {
        const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
        const response = await fetch(url, { headers });
        return { status: response.status, exchanged: response.headers.get("authorization") };
      } catch {
        return "nothing";
      }
    },
    [environment.server.url + path, token],
  );
}

test("an app on another origin exchanges its provider's token for ours", async () => {
  await environment.server.runCommand("jwt-rule", "add", provider.issuer, "--jwks", provider.jwksUrl);
  const ada = await visit(environment.browser, app.url, {
    service: environment.server.url,
    networkErrorsExpected: true,
  });
  const token = await provider.sign({ sub: "auth0|ada" });
  const first = await call(ada.page, "/v1/threads", token);
  if (first === "nothing") throw new Error("The app's page saw nothing.");
  expect(first).toMatchObject({ status: 200 });
  const ours = /^Bearer (\S+)$/.exec(first.exchanged ?? "")?.[1] ?? "";
  expect(ours).not.toBe("");
  expect(await call(ada.page, "/v1/threads", ours)).toEqual({ status: 200, exchanged: null });
  // A failure is readable and has the exchanged token as well.
  expect(await call(ada.page, "/v1/threads/x", token)).toMatchObject({
    status: 404,
    exchanged: expect.stringMatching(/^Bearer /) as string,
  });
  const expired = await provider.sign({ sub: "auth0|ada", exp: 1 });
  expect(await call(ada.page, "/v1/threads", expired)).toEqual({ status: 401, exchanged: null });
});

test("the page on another origin shows and downloads files of the service", async () => {
  const ada = await visit(environment.browser, elsewhere.url, { service: environment.server.url });
  await drop(ada.page, (await fiveFiles()).slice(0, 3));
  await uploaded(ada.page);
  await ada.page.goto("/files");
  const rows = ada.page.getByRole("main").getByRole("listitem");
  const lake = rows.filter({ hasText: "lake.png" });
  await expect
    .poll(
      async () =>
        await lake
          .locator("img")
          .evaluateAll((images) => images.map((image) => (image as { naturalWidth?: number }).naturalWidth)),
    )
    .toEqual([320]);
  await rows
    .getByRole("button", { name: /notes\.txt/ })
    .first()
    .click();
  const look = ada.page.getByRole("dialog", { name: "notes.txt" });
  await look.getByText("Water the roses on Monday.").waitFor();
  await ada.page.keyboard.press("Escape");
  const saving = ada.page.waitForEvent("download");
  await lake.getByRole("link", { name: "Download lake.png" }).click();
  expect((await saving).suggestedFilename()).toBe("lake.png");
});

test("an origin can be removed from the allowlist and added again while the server runs", async () => {
  const ada = await visit(environment.browser, app.url, { service: environment.server.url });
  const token = await provider.sign({ sub: "auth0|ada" });
  expect(await call(ada.page, "/v1/threads", token)).toMatchObject({ status: 200 });
  await ada.end();

  await environment.server.runCommand("origin", "add", "https://shop.example");
  const ben = await visit(environment.browser, app.url, { service: environment.server.url });
  // The browser logs the blocked responses.
  ben.page.removeAllListeners("console");
  await expect.poll(async () => await call(ben.page, "/v1/threads", token)).toBe("nothing");
  await environment.server.runCommand("origin", "add", app.url);
  await expect
    .poll(async () => await call(ben.page, "/v1/threads?limit=1", token))
    .toMatchObject({ status: 200 });
  // The app's own origin is always allowed.
  const own = await visit(environment.browser, environment.server.url);
  await own.page.getByRole("textbox").first().waitFor();
});
