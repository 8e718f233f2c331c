import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { attached } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("the up arrow in an empty field edits the last message, and moves the cursor in one with text", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, composer, questions, settled } = chat(page);
  await composer.press("ArrowUp");
  await ask("First tokens=3");
  await settled();
  await ask("Second tokens=3");
  await settled();
  await composer.fill("Typed");
  await composer.press("ArrowUp");
  const field = page.getByRole("textbox", { name: "Edit your message" });
  expect(await field.count()).toBe(0);
  await composer.fill("");
  await composer.press("ArrowUp");
  await expect.poll(async () => await field.inputValue()).toBe("Second tokens=3");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Third tokens=3");
  await page.keyboard.press("Enter");
  await questions.nth(1).getByText("Third").waitFor();
  await settled();
});

test("a long pasted text can become a file, and the rest of the message stays", async ({ page }) => {
  const { composer, questions, settled } = chat(page);
  const long = "A line of the log, with $& and $1.\r\n".repeat(200);
  const paste = async (text: string) => {
    await page.evaluate(async (copied) => await navigator.clipboard.writeText(copied), text);
    await composer.press("Control+V");
  };
  const makeFile = page.getByRole("button", { name: "Make it a file" });
  await composer.fill("What failed? tokens=3 ");
  await paste("A short text. ");
  expect(await makeFile.count()).toBe(0);
  await paste(long);
  await makeFile.click();
  await expect.poll(async () => await composer.inputValue()).toBe("What failed? tokens=3 A short text. ");
  await attached(page).getByText("Pasted text.txt").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await questions.first().getByText("Pasted text.txt").first().waitFor();
  await settled();
  await expect
    .poll(() => Promise.resolve(JSON.stringify(environment.model.requests)))
    .toContain("A line of the log, with $& and $1.");
});

test("an @ offers files, which are attached without another upload, and threads, which the model can read", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, composer, questions, settled, sendButton } = chat(page);
  await page.locator("input[data-attach]").setInputFiles({
    name: "herons.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("The heron stands in the reeds."),
  });
  await attached(page).getByText("herons.txt").waitFor();
  await composer.fill("About birds tokens=3");
  await sendButton.click();
  await questions.first().waitFor();
  await settled();
  const firstThread = new URL(page.url()).pathname;

  await page.getByRole("navigation", { name: "Chats" }).getByRole("button", { name: "New chat" }).click();
  await page.waitForURL(environment.server.url);
  const list = page.getByRole("listbox", { name: "Assistants, files and chats" });
  await composer.fill("Write to ada@example.org");
  expect(await list.count()).toBe(0);
  await composer.fill("");
  await page.keyboard.type("Again @her");
  await list.getByRole("option", { name: "herons.txt" }).waitFor();
  expect(await violations(page)).toEqual([]);
  const before = ada.requests.filter((request) => request.startsWith("PUT ")).length;
  await page.keyboard.press("Enter");
  await attached(page).getByText("herons.txt").waitFor();
  expect(await composer.inputValue()).toBe("Again ");
  expect(ada.requests.filter((request) => request.startsWith("PUT ")).length).toBe(before);

  // The draft keeps the file over a reload.
  await page.reload();
  await attached(page).getByText("herons.txt").waitFor();
  await composer.focus();
  await page.keyboard.press("End");
  await page.keyboard.type("see @");
  await list.getByRole("group", { name: "Chats" }).getByRole("option").first().click();
  await expect
    .poll(async () => await composer.inputValue())
    .toMatch(new RegExp(`^Again see \\[.+\\]\\(${firstThread}\\) $`));
  await page.keyboard.type("and @ tokens=3");
  environment.model.requests.length = 0;
  await page.keyboard.press("Enter");
  await questions.first().getByText("herons.txt").first().waitFor();
  await settled();
  const requests = JSON.stringify(environment.model.requests);
  expect(requests).toContain("The heron stands in the reeds.");
  expect(requests).toContain(firstThread);
  await ask("And now? tokens=3");
  await settled();
});

test("a message that waits for a file is not sent when the upload fails", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { composer, questions } = chat(page);
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await ada.context.route("**/*", async (route) => {
    if (route.request().method() !== "PUT") return await route.fallback();
    begun.resolve();
    await held.promise;
    return await route.fulfill({ status: 413, json: {} });
  });
  await page.locator("input[data-attach]").setInputFiles({
    name: "herons.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("The heron stands in the reeds."),
  });
  await begun.promise;
  await composer.fill("About birds tokens=3");
  await composer.press("Enter");
  await page.getByText(/^Your message is sent when the file/).waitFor();
  held.resolve();
  await page.getByText("A file didn’t upload.").waitFor();
  expect(await composer.inputValue()).toBe("About birds tokens=3");
  expect(await questions.count()).toBe(0);
  expect(ada.requests.filter((request) => /POST .*\/runs$/.test(request))).toEqual([]);
});
