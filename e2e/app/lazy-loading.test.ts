import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { allLoaded } from "../support/all-loaded.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

const palette = (page: Page) =>
  page.getByRole("combobox", { name: "Search chats, messages, files and actions" });

/** A page that cannot load files with these name prefixes until `come` is called. */
async function visitWithout(names: string): Promise<Visit & { come(): Promise<void> }> {
  const pattern = new RegExp(String.raw`/assets/(?:${names})[^/]*\.js(?:\?.*)?$`);
  const ada = await visit(environment.browser, environment.server.url, {
    networkErrorsExpected: true,
    prepare: async (context) => await context.route(pattern, (route) => route.abort()),
  });
  return { ...ada, come: async () => await ada.context.unroute(pattern) };
}

test("keeps the page when the palette does not load, and opens it on a retry", async () => {
  const ada = await visitWithout("palette");
  const { composer, threads } = chat(ada.page);
  await composer.fill("Half a thought");
  await composer.press("Control+k");
  const notices = ada.page.getByRole("region", { name: "Notifications" });
  await notices.getByText("Couldn’t load this part of the app.").waitFor();
  expect(await composer.inputValue()).toBe("Half a thought");
  await threads.waitFor();
  await ada.come();
  await notices.getByRole("button", { name: "Try again" }).click();
  await palette(ada.page).waitFor();
  await ada.page.keyboard.press("Escape");
  expect(await composer.inputValue()).toBe("Half a thought");
});

test("says that a menu did not load, and opens it on a retry", async () => {
  const ada = await visitWithout("opened-menu");
  const { ask, settled } = chat(ada.page);
  await ask("2+2");
  await settled();
  await ada.page
    .getByRole("main")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  const notices = ada.page.getByRole("region", { name: "Notifications" });
  await notices.getByText("Couldn’t load this part of the app.").waitFor();
  await ada.come();
  await notices.getByRole("button", { name: "Try again" }).click();
  await ada.page.getByRole("menuitem", { name: "Rename" }).waitFor();
});

test("says that a screen did not load, and shows it on a retry", async () => {
  const ada = await visitWithout("archive-screen");
  await ada.page.getByRole("link", { name: "Archive" }).click();
  const main = ada.page.getByRole("main");
  await main.getByRole("heading", { name: "Couldn’t load this page" }).waitFor();
  await chat(ada.page).threads.waitFor();
  await ada.come();
  await main.getByRole("button", { name: "Try again" }).click();
  await main.getByRole("heading", { name: "Archive", level: 1 }).waitFor();
});

test("loads a failed screen automatically when the connection is back", async () => {
  const ada = await visitWithout("settings-screen");
  await ada.page.getByRole("link", { name: "Settings" }).click();
  const main = ada.page.getByRole("main");
  await main.getByRole("heading", { name: "Couldn’t load this page" }).waitFor();
  await ada.context.setOffline(true);
  await ada.page
    .getByText(/^Offline/)
    .first()
    .waitFor();
  await ada.come();
  await ada.context.setOffline(false);
  await main.getByRole("heading", { name: "General", level: 1 }).waitFor();
});

test("reloads once, with the draft, when the server has a newer build", async () => {
  const ada = await visitWithout("archive-screen");
  const { composer } = chat(ada.page);
  await composer.fill("Half a thought");
  // The build check gets another build.
  await ada.context.route(
    (url) => url.pathname === "/",
    async (route) => {
      if (route.request().resourceType() === "document") return await route.continue();
      return await route.fulfill({ body: '<script type="module" src="/assets/another.js"></script>' });
    },
  );
  let loads = 0;
  ada.page.on("load", () => (loads += 1));
  await ada.page.getByRole("link", { name: "Archive" }).click();
  const main = ada.page.getByRole("main");
  await main.getByText("A new version of Parlance is available.").waitFor();
  const asked = ada.requests.length;
  await ada.page.waitForTimeout(1_000);
  expect(ada.requests.slice(asked).filter((request) => request.endsWith(" /archive"))).toEqual([]);
  expect(loads).toBe(1);
  expect(new URL(ada.page.url()).pathname).toBe("/archive");
  await ada.come();
  await main.getByRole("button", { name: "Reload" }).click();
  await main.getByRole("heading", { name: "Archive", level: 1 }).waitFor();
  await ada.page.getByRole("button", { name: "New chat" }).click();
  expect(await composer.inputValue()).toBe("Half a thought");
});

test("opens every screen and the palette offline", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    networkErrorsExpected: true,
    preloads: true,
    prepare: async (context) => await context.clock.install(),
  });
  await chat(ada.page).composer.waitFor();
  await ada.page.clock.runFor(10_000);
  await allLoaded(ada.page);
  const onFirstUse = /\/assets\/(?:mermaid|editor|react-runtime|guard-runtime|draw|scalar)/;
  expect(ada.requests.filter((request) => onFirstUse.test(request))).toEqual([]);
  await ada.context.setOffline(true);
  await ada.page.getByRole("link", { name: "Settings" }).click();
  await ada.page.getByRole("heading", { name: "General", level: 1 }).waitFor();
  await ada.page.keyboard.press("Control+k");
  await palette(ada.page).waitFor();
});

test("loads the screens and the palette only when they are opened if the browser saves data", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    preloads: true,
    prepare: async (context) => await context.clock.install(),
  });
  await chat(ada.page).composer.waitFor();
  const session = await ada.context.newCDPSession(ada.page);
  await session.send("Emulation.setDataSaverOverride", { dataSaverEnabled: true });
  const folders = ada.page.waitForResponse(/\/folder-list-[^/]*\.js$/);
  await ada.page.clock.runFor(10_000);
  await folders;
  await ada.page.clock.runFor(60_000);
  const unused = /\/assets\/[^/]*(-screen|-page|palette|panel|markdown|mermaid)/;
  expect(ada.requests.filter((request) => unused.test(request))).toEqual([]);
  await ada.page.getByRole("link", { name: "Settings" }).click();
  await ada.page.getByRole("heading", { name: "General", level: 1 }).waitFor();
  await ada.page.keyboard.press("Control+k");
  await palette(ada.page).waitFor();
});
