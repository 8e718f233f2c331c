import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { newAppFolder } from "../../scripts/clients/new-app-packages.ts";
import { eventually } from "../support/chat.ts";
import type { Visit } from "../support/visit.ts";

/**
 * What `@assistant-ui/core` 0.3.35 logs when the open thread is deleted, about an id that only the page has. The thread is
 * deleted all the same, which the tests check. With another version, it counts as an error.
 */
export const errorsOfNewApp =
  newAppFolder !== undefined && versionIn(`${newAppFolder}/node_modules/@assistant-ui/core`) === "0.3.35"
    ? /Thread "__LOCALID_\w+" not found while getting its runtime/
    : undefined;

/** Locators and actions for the test app, the same for every client. */
export function clientPage(page: Page) {
  const nav = page.getByRole("navigation", { name: "Threads" });
  const main = page.getByRole("main");
  const active = nav.getByRole("list", { name: "Active" }).getByRole("listitem");
  const archived = nav.getByRole("list", { name: "Archived" }).getByRole("listitem");
  const answers = main.getByRole("article", { name: "assistant" });
  const titleOf = async () =>
    await active.evaluateAll((items) =>
      items.map((item) => item.querySelector("button")?.textContent?.trim() ?? ""),
    );

  return {
    page,
    active,
    archived,
    answers,
    questions: main.getByRole("article", { name: "user" }),
    alert: page.getByRole("alert"),
    titles: titleOf,
    /** The attachments in the composer. */
    attached: main.locator("form").locator('[data-part="attachment"]'),
    /** Attaches a file through the file dialog. */
    async attach(name: string, mimeType: string, buffer: Buffer) {
      const fileChooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach", exact: true }).click();
      await (await fileChooser).setFiles({ name, mimeType, buffer });
    },
    async ask(question: string) {
      const before = await answers.count();
      await page.getByRole("textbox", { name: "Message" }).fill(question);
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await eventually(
        async () => await answers.count(),
        (count) => expect(count).toBeGreaterThan(before),
      );
    },
    /** Waits until the thread that was open is gone: newer clients show it for a moment. */
    async newThread() {
      await nav.getByRole("button", { name: "New thread", exact: true }).click();
      await eventually(
        async () => await main.getByRole("article").count(),
        (count) => expect(count).toBe(0),
      );
    },
    async open(title: string) {
      await active.getByRole("button", { name: title, exact: true }).click();
    },
    /** Waits for the service, because clients show the result before they send the request. */
    async choose(title: string, action: "Archive" | "Delete") {
      const response = page.waitForResponse(
        (each) => ["PUT", "DELETE"].includes(each.request().method()) && each.url().includes("/v1/threads/"),
      );
      await active
        .filter({ has: page.getByRole("button", { name: title, exact: true }) })
        .getByRole("button", { name: action, exact: true })
        .click();
      expect((await response).status()).toBeLessThan(300);
    },
    /** Waits until the thread and its messages are stored: then the list shows its title. */
    async titled() {
      await eventually(titleOf, (titles) => {
        expect(titles.length).toBeGreaterThan(0);
        expect(titles).not.toContain("Untitled");
        expect(titles).not.toContain("");
      });
      return (await titleOf())[0] ?? "";
    },
    async shows(words: { question?: string; answer?: string }) {
      if (words.question !== undefined)
        await main.getByRole("article", { name: "user" }).getByText(words.question).first().waitFor();
      if (words.answer !== undefined) await answers.getByText(words.answer).first().waitFor();
    },
  };
}

/**
 * Returns a function that waits until the service has stored this number of complete messages since the start of the visit.
 * Clients store them late, or begin to store an answer with a lease, which they end when it is complete.
 */
export function storedIn({ context }: Pick<Visit, "context">): (count: number) => Promise<void> {
  let messages = 0;
  context.on("response", (response) => {
    const request = response.request();
    if (request.method() !== "POST" || !response.ok()) return;
    const isLeased = request.postData()?.includes('"open_run":true') === true;
    const isNew = response.url().endsWith("/messages") && response.status() === 201 && !isLeased;
    if (isNew || /\/runs\/lease_\w+\/end$/.test(response.url())) messages++;
  });
  return async (count) =>
    await eventually(
      async () => messages,
      (current) => expect(current).toBeGreaterThanOrEqual(count),
    );
}

/** The version of the package in a folder. */
export function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { version: string };
  return version;
}
